# Everything a newcomer types. Each verb is a line or two of shell: read on.
#
# The steps that take more than that are scripts, in scripts/ and bench/.

PREFIX ?= /usr/local
CARGO  ?= cargo
# Where cargo builds; kept in step with the variable cargo itself obeys.
BUILT   = $(or $(CARGO_TARGET_DIR),target)/release
SHARE   = $(DESTDIR)$(PREFIX)/share

# With no verb, print them.
help: ## print these verbs
	@echo 'myrig: a performance rig for MySQL and its kin.'
	@echo
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

demo: ## install what is missing, build, and compare two settings on a server of its own
	scripts/setup build server
	$(CARGO) build --release --locked
	$(BUILT)/myrig demo

experiments: build ## carry out every experiment at laptop scale: half an hour, the last as root
	scripts/setup server
	for name in demo cloud-instances hammerdb-scaling innochecksum-nvme astream-waf; do \
	    $(BUILT)/myrig run $$name --report target/$$name.html || exit $$?; done

build: ## build the command, optimised, as target/release/myrig
	scripts/setup build
	$(CARGO) build --release --locked

test: ## everything CI checks: formatting, lints, all tests, MariaDB and MySQL 9 included
	scripts/test

lint: ## formatting, clippy with warnings denied, and the house rules (tidy)
	scripts/setup build
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) test --locked -p myrig --test tidy

bench: build ## compare with other tools on this machine; see the head of each script in bench/
	scripts/setup server
	bench/load mariadb
	bench/load mysql
	$(CARGO) build --release --locked -p client -p pages --examples
	bench/clients/run mariadb
	bench/pages/run
	bench/verdicts/run

install: build ## install the command and all that belongs to it under PREFIX (/usr/local)
	PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) scripts/install $(BUILT)/myrig

uninstall: ## remove what `make install` installed under PREFIX
	PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) scripts/install --remove

deb: ## build a Debian package, target/debian/myrig_VERSION_ARCH.deb, and check it with lintian
	scripts/setup build package
	$(CARGO) build --release --locked
	scripts/test-package $(BUILT)/myrig
	scripts/package $(BUILT)/myrig

links: ## link the names sysbench, benchmarksql, innochecksum, astream under PREFIX to the command
	ln -s myrig $(DESTDIR)$(PREFIX)/bin/sysbench
	ln -s myrig $(DESTDIR)$(PREFIX)/bin/benchmarksql
	ln -s myrig $(DESTDIR)$(PREFIX)/bin/innochecksum
	ln -s myrig $(DESTDIR)$(PREFIX)/bin/astream

book: ## set the pages of docs/ as a book, target/book/index.html
	scripts/book

reference: ## write the book's reference of commands and options anew, docs/reference
	$(CARGO) run --quiet --locked -p myrig -- reference docs/reference

clean: ## remove what was built; servers unpacked for tests stay in ~/.cache/myrig
	$(CARGO) clean

.PHONY: help demo experiments build test lint bench install uninstall deb links book reference clean
