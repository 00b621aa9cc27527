// The live page: takes the server's events as they come, and shows them.
(() => {
  const get = (id) => document.getElementById(id);
  const main = get('main');
  const id = main.dataset.id;
  const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
  const ms = (value) => value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
  const bytes = (value) => value >= 1e6 ? `${(value / 1e6).toFixed(1)} MB` : `${(value / 1e3).toFixed(1)} kB`;
  const watchedSeries = {
    'cpu.user': ['Processors, user', (v) => v.toFixed(2)],
    'cpu.system': ['Processors, system', (v) => v.toFixed(2)],
    'cpu.iowait': ['Processors waiting for a disk', (v) => v.toFixed(2)],
    'cpu.steal': ['Processors stolen', (v) => v.toFixed(2)],
    'disk.read_bytes': ['Disk, read a second', bytes],
    'disk.written_bytes': ['Disk, written a second', bytes],
    'rows.read': ['Rows read a second', (v) => whole.format(v)],
    'server.threads_running': ['Sessions running', (v) => whole.format(v)],
    'redo.written': ['Redo written a second', bytes],
  };
  const pointsMax = 1200;
  let begin = null;
  let seconds = [];
  let ended = false;
  let doing = '';
  let scheduled = false;

  const say = (words, tone) => {
    const status = get('status');
    if (status.textContent !== words) status.textContent = words;
    status.className = tone ? `state ${tone}` : 'state';
  };
  const pairs = (list, entries) => list.replaceChildren(...entries.map(([name, value]) => {
    const [box, term, words] = ['div', 'dt', 'dd'].map((kind) => document.createElement(kind));
    term.textContent = name;
    words.textContent = value;
    box.append(term, words);
    return box;
  }));
  const until = () => begin?.phases.at(-1)?.until_s ?? 0;
  const committed = (second) => second.transactions.reduce((sum, type) => sum + type.committed, 0);

  const showBegin = () => {
    get('title').textContent = begin.title;
    document.title = `${begin.label || begin.title} · live · myrig`;
    get('label').textContent = begin.label;
    get('label').hidden = begin.label === '';
    get('lead').textContent = [begin.server, begin.started_at.replace('T', ' ').replace('Z', ' UTC')].filter(Boolean).join(' · ');
    const isRun = begin.what === 'run';
    get('charts').hidden = !isRun;
    document.querySelector('.hero').hidden = !isRun;
    get('steps').hidden = isRun;
    pairs(get('facts'), Object.entries(begin.settings).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]));
    get('command').textContent = begin.command ?? '';
    get('command').hidden = !begin.command;
    get('about').hidden = !begin.command && Object.keys(begin.settings).length === 0;
    get('type').replaceChildren(...begin.types.map((name, index) => new Option(name, index)));
    const legend = get('throughput-legend');
    legend.replaceChildren(...begin.types.map((name, index) => {
      const [entry, colour] = [document.createElement('span'), document.createElement('i')];
      colour.className = `c${index % 8 + 1}`;
      entry.append(colour, name);
      return entry;
    }));
  };

  // Neighbouring points become one, so that a day fits.
  const thin = () => {
    const joined = [];
    for (let at = 0; at < seconds.length; at += 2) {
      const [one, other] = [seconds[at], seconds[at + 1]];
      if (!other) { joined.push(one); continue; }
      const transactions = one.transactions.map((type, index) => {
        const next = other.transactions[index];
        const both = {};
        for (const key of ['committed', 'rolled_back', 'failed', 'retries']) both[key] = type[key] + next[key];
        for (const key of ['p50_ms', 'p95_ms', 'p99_ms']) both[key] = Math.max(type[key], next[key]);
        return both;
      });
      joined.push({ ...other, length_s: one.length_s + other.length_s, transactions });
    }
    seconds = joined;
  };

  const show = () => {
    scheduled = false;
    const last = seconds.at(-1);
    if (!begin || !last) return;
    const share = until() > 0 ? Math.min(1, last.at_s / until()) : null;
    if (share !== null) {
      get('fill').style.width = `${(share * 100).toFixed(1)}%`;
      get('track').setAttribute('aria-valuenow', Math.round(share * 100));
    }
    get('track').hidden = share === null;
    if (!ended) say(doing === 'check' ? 'Checking the data' : `${last.phase}, ${whole.format(last.at_s)} s${until() ? ` of ${whole.format(until())} s` : ''}`);
    get('rate').textContent = whole.format(committed(last) / last.length_s);
    const measured = seconds.filter((second) => second.phase === 'measure');
    const time = measured.reduce((sum, second) => sum + second.length_s, 0);
    get('mean').textContent = time > 0
      ? `${whole.format(measured.reduce((sum, second) => sum + committed(second), 0) / time)} on average over ${whole.format(time)} s measured` : '';
    const all = (key) => seconds.reduce((sum, second) => sum + second.transactions.reduce((of, type) => of + type[key], 0), 0);
    const tiles = [
      ['Connections up', `${last.connected} of ${begin.connections ?? '?'}`],
      ['Failed, all', whole.format(all('failed'))],
      ['Retries, all', whole.format(all('retries'))],
      ['Client threads busy', `${(last.client_cpu * 100).toFixed(0)}%`],
    ];
    if (begin.rate_per_s) tiles.push(['Due a second', whole.format(begin.rate_per_s)]);
    pairs(get('tiles'), tiles);
    const known = Object.entries(watchedSeries).filter(([name]) => last.watch?.[name] !== undefined);
    get('watched').hidden = known.length === 0;
    pairs(get('watch'), known.map(([name, [words, form]]) => [words, form(last.watch[name])]));
    showTypes(last);
    drawCharts();
  };

  const showTypes = (last) => {
    get('types').replaceChildren(...begin.types.map((name, index) => {
      const row = document.createElement('tr');
      const type = last.transactions[index];
      const all = (key) => whole.format(seconds.reduce((sum, second) => sum + second.transactions[index][key], 0));
      const head = document.createElement('th');
      head.scope = 'row';
      head.textContent = name;
      const cells = [whole.format(type.committed / last.length_s), ms(type.p50_ms), ms(type.p95_ms), ms(type.p99_ms), all('rolled_back'), all('failed'), all('retries')];
      row.append(head, ...cells.map((text) => Object.assign(document.createElement('td'), { className: 'number', textContent: text })));
      return row;
    }));
  };

  const drawCharts = () => {
    const base = { phases: begin.phases, until: until() };
    Chart.draw(get('throughput'), {
      ...base,
      stacked: true,
      series: begin.types.map((_, index) => `c${index % 8 + 1}`),
      points: seconds.map((second) => ({ at: second.at_s, length: second.length_s, values: second.transactions.map((type) => type.committed / second.length_s) })),
    });
    const index = Number(get('type').value || 0);
    Chart.draw(get('latency'), {
      ...base,
      stacked: false,
      series: ['q1', 'q2', 'q3'],
      points: seconds.map((second) => {
        const type = second.transactions[index];
        return { at: second.at_s, length: second.length_s, values: [type.p50_ms, type.p95_ms, type.p99_ms] };
      }),
    });
  };
  const soon = () => {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(show);
  };
  get('type').addEventListener('change', soon);
  addEventListener('resize', soon);

  const link = (words, target) => {
    const way = document.createElement('a');
    way.href = target;
    way.textContent = words;
    return way;
  };
  const showEnd = (end) => {
    ended = true;
    soon();
    const words = { complete: 'Complete', partial: 'Ended early', failed: 'Failed' }[end.state];
    say([words, ...end.figures, end.reason].filter(Boolean).join(' · '), end.state === 'complete' ? 'good' : 'bad');
    if (end.state !== 'failed') get('status').append(' ', link('Open the report', `/${begin.what}s/${id}`));
  };
  const showProgress = (progress) => {
    const list = get('step-list');
    for (const item of list.children) item.removeAttribute('aria-current');
    const item = document.createElement('li');
    item.value = progress.step;
    item.setAttribute('aria-current', 'step');
    item.textContent = progress.name;
    if (progress.run) item.append(' ', link('look on', `/live/${progress.run}`));
    list.append(item);
    const left = progress.left_s ? `, about ${whole.format(progress.left_s / 60)} min left` : '';
    say(`Step ${progress.step} of ${progress.of}: ${progress.name}${left}`);
    get('fill').style.width = `${(100 * (progress.step - 1) / progress.of).toFixed(1)}%`;
    get('track').setAttribute('aria-valuenow', Math.round(100 * (progress.step - 1) / progress.of));
  };

  const source = new EventSource(`/api/live/${encodeURIComponent(id)}/events`);
  const on = (kind, take) => source.addEventListener(kind, (event) => take(JSON.parse(event.data)));
  on('begin', (event) => {
    // A connection that was lost begins from the start.
    [begin, seconds, ended, doing] = [event, [], false, 'connect'];
    get('step-list').replaceChildren();
    showBegin();
    say('Opening connections');
  });
  on('phase', (event) => {
    doing = event.name;
    if (event.name === 'check') say('Checking the data');
  });
  on('second', (event) => {
    seconds.push(event);
    if (seconds.length > pointsMax) thin();
    soon();
  });
  on('progress', showProgress);
  on('note', (event) => say(event.text));
  on('end', (event) => { source.close(); showEnd(event); });
  on('died', () => {
    source.close();
    ended = true;
    say('Its process is gone without a word: it was killed, or its disk is full. What was saved before is in its report.', 'bad');
    get('status').append(' ', link('Open the report', `/runs/${id}`));
  });
  source.onerror = () => {
    if (!ended) say('The connection to the server is lost; trying again …', 'bad');
  };
})();
