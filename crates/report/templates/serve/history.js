// The front page: live runs that come and go, a list that filters as one types, two runs to choose,
// and files that are dropped in. Without it the forms still work.
(() => {
  const number = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
  const make = (name, className, text) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // Live runs.
  const section = document.getElementById('live');
  const list = section.querySelector('ul');
  const status = document.getElementById('live-status');
  let known = null;
  const line = (glance) => {
    const { begin } = glance;
    const item = make('li', glance.state === 'dead' ? 'dead' : '');
    item.dataset.id = begin.id;
    const link = make('a', '', begin.label || begin.title);
    link.href = '/live/' + encodeURIComponent(begin.id);
    const rate = glance.committed_per_s;
    item.append(link, make('span', 'now', rate === null ? '' : number.format(rate) + ' transactions/s'));
    const doing = glance.state === 'dead' ? 'its process is gone without a word' : glance.phase;
    const at = glance.at_s === null ? '' : `, ${number.format(glance.at_s)} s`;
    item.append(make('span', 'doing', [doing + at, begin.label ? begin.title : '', begin.server].filter(Boolean).join(' · ')));
    if (glance.share !== null && glance.state === 'running') {
      const progress = make('progress');
      progress.max = 1;
      progress.value = glance.share;
      progress.setAttribute('aria-label', 'How much of it is over');
      item.append(progress);
    }
    return item;
  };
  const showLive = (glances) => {
    const on = glances.filter((glance) => glance.state !== 'ended');
    const focused = list.contains(document.activeElement) ? document.activeElement.closest('li').dataset.id : null;
    list.replaceChildren(...on.map(line));
    if (focused) list.querySelector(`li[data-id="${CSS.escape(focused)}"] a`)?.focus();
    section.hidden = on.length === 0;
    const ids = on.filter((glance) => glance.state === 'running').map((glance) => glance.begin.id);
    if (known === null || ids.join() !== known.join()) {
      status.textContent = ids.length === 0 ? (known === null ? '' : 'Nothing is live any more.') : `${ids.length} live`;
      if (known !== null) refresh(location.href);
      known = ids;
    }
  };
  const source = new EventSource('/api/live/events');
  source.addEventListener('list', (event) => showLive(JSON.parse(event.data)));

  // The list of what is stored.
  const filter = document.getElementById('filter');
  let asked = 0;
  const refresh = async (link) => {
    const turn = ++asked;
    const answer = await fetch(link, { headers: { accept: 'text/html' } }).catch(() => null);
    if (turn !== asked || !answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = page.getElementById('history');
    const chosen = new Set(picked().map((box) => box.value));
    document.getElementById('history').replaceChildren(...fresh.childNodes);
    for (const box of boxes()) box.checked = chosen.has(box.value);
    showChoice();
  };
  const query = () => {
    const pairs = [...new FormData(filter)].filter(([, value]) => value !== '');
    for (const name of ['sort', 'order']) {
      const value = new URLSearchParams(location.search).get(name);
      if (value) pairs.push([name, value]);
    }
    const text = new URLSearchParams(pairs).toString();
    return text ? '/?' + text : '/';
  };
  let timer;
  const filterSoon = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      history.replaceState(null, '', query());
      refresh(location.href);
    }, wait);
  };
  filter.addEventListener('input', () => filterSoon(200));
  filter.addEventListener('submit', (event) => { event.preventDefault(); filterSoon(0); });

  // Two runs to compare.
  const boxes = () => [...document.querySelectorAll('#history input[name=run]')];
  const picked = () => boxes().filter((box) => box.checked);
  const showChoice = () => {
    const count = picked().length;
    document.getElementById('compare').disabled = count !== 2;
    document.getElementById('chosen').textContent = count === 0
      ? 'Choose two runs to compare them.'
      : count === 2 ? 'Two runs are chosen.' : `${count} chosen; two are compared.`;
  };
  document.getElementById('history').addEventListener('change', showChoice);
  showChoice();

  // Files that are dropped in.
  const told = document.getElementById('drop-status');
  const bring = async (file) => {
    told.className = '';
    told.textContent = `Bringing ${file.name} …`;
    try {
      const answer = await fetch('/api/runs', {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: file,
      });
      const value = await answer.json();
      if (!answer.ok) throw new Error(value.error);
      told.replaceChildren(value.new ? 'Brought in: ' : 'It was here already: ', Object.assign(make('a', '', value.id), { href: value.url }));
      refresh(location.href);
    } catch (error) {
      told.className = 'bad';
      told.textContent = `${file.name}: ${error.message}`;
    }
  };
  const chooser = document.getElementById('file');
  chooser.addEventListener('change', () => { if (chooser.files[0]) bring(chooser.files[0]); });
  addEventListener('dragover', (event) => { event.preventDefault(); document.body.classList.add('dropping'); });
  addEventListener('dragleave', () => document.body.classList.remove('dropping'));
  addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('dropping');
    if (event.dataTransfer.files[0]) bring(event.dataTransfer.files[0]);
  });
})();
