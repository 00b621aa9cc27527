#!/usr/bin/env bash
# Debian's unstable suite beside the system: sourced by the scripts that unpack something of it
# into a private root. Nothing is installed, no root account is needed, and apt checks the
# archive's signature.
#
# They set $work (a directory of theirs, made anew) and define give_up (says why it cannot be had
# and ends).
# shellcheck disable=SC2154
set -euo pipefail

# Runs a program of a private root by that root's own loader: run_in ROOT PROGRAM ARGUMENT...
run_in() {
    local at="$1" program="$2" loader
    shift 2
    loader="$(find "$at/usr/lib" -maxdepth 2 -name 'ld-linux-*.so.*' | head -n1)"
    [ -n "$loader" ] || return 1
    "$loader" --library-path "$(dirname "$loader")" "$at/usr/$program" "$@"
}

# apt-get or apt-cache on our own lists, archives and empty system: private_apt PROGRAM WORD...
# The empty status file makes apt fetch the C library and all else too, which is what lets the
# result run on an older system.
private_apt() {
    local program="$1"
    shift
    "$program" -q \
        -o "Dir::Etc::sourcelist=$work/sources.list" \
        -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::Etc::preferences=/dev/null \
        -o Dir::Etc::preferencesparts=/dev/null \
        -o "Dir::State=$work/state" \
        -o "Dir::State::lists=$work/lists" \
        -o "Dir::State::status=$work/status" \
        -o "Dir::Cache=$work/cache" \
        -o "Dir::Cache::archives=$work/archives" \
        -o Dir::Cache::pkgcache= \
        -o Dir::Cache::srcpkgcache= \
        -o APT::Sandbox::User=root \
        -o Acquire::Languages=none \
        -o APT::Update::Error-Mode=any \
        "$@"
}

# The archives this machine takes Debian itself from, one a line, best guess first.
# No mirror is written down here: whatever serves the machine serves us.
archives() {
    local codename
    # shellcheck source=/dev/null
    codename="$(. /etc/os-release && echo "${VERSION_CODENAME:-unstable}")"
    # shellcheck disable=SC2016  # the names are apt's, not the shell's
    apt-get indextargets --no-release-info --format '$(SITE) $(RELEASE) $(COMPONENT)' |
        awk -v codename="$codename" '
            $3 != "main" { next }
            $2 == codename { if (!first[$1]++) print $1 }
            $2 ~ /^(stable|testing|unstable|sid)$/ { if (!first[$1]++) later = later $1 "\n" }
            END { printf "%s", later }'
}

# Debian's own keys, where they are kept apart; else whatever keys apt trusts on this machine.
signed_by() {
    local keyring
    for keyring in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
        if [ -e "$keyring" ]; then
            echo "[signed-by=$keyring]"
            return
        fi
    done
}

prepare_folders() {
    rm -rf "$work"
    mkdir -p "$work"/{state,lists/partial,archives/partial,cache,root}
    : >"$work/status"
}

# Fetches the list of packages from the first archive that has the suite.
fetch_list() {
    local site
    while read -r site; do
        echo "deb $(signed_by) $site unstable main" >"$work/sources.list"
        if private_apt apt-get update >"$work/log" 2>&1; then
            return
        fi
    done < <(archives)
    [ ! -s "$work/log" ] || tail -n 5 "$work/log" >&2
    give_up "no archive of this machine offers Debian's unstable suite"
}

# Fetches packages with all that they need: fetch_packages PACKAGE...
fetch_packages() {
    if ! private_apt apt-get -y install --download-only --no-install-recommends "$@" \
        >"$work/log" 2>&1; then
        tail -n 5 "$work/log" >&2
        give_up "apt could not fetch $*"
    fi
}

# Unpacks all that was fetched into $work/root, and leaves the manuals out.
unpack() {
    local package
    for package in "$work"/archives/*.deb; do
        dpkg-deb -x "$package" "$work/root"
        rm "$package"
    done
    rm -rf "$work/root/usr/share/"{doc,man,locale,info,lintian}
}

# Gives up where this is no Debian.
demand_debian() {
    local program
    for program in apt-get dpkg-deb; do
        command -v "$program" >/dev/null 2>&1 || give_up "no $program: this is not Debian"
    done
}

# Makes $work/root the private root: put_in_place ROOT. Complete or not there at all: the stamp is
# inside what is renamed.
put_in_place() {
    rm -rf "$1"
    mv "$work/root" "$1"
    rm -rf "$work"
}
