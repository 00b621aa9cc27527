// One instant in all charts over time: by the pointer or by the arrow keys. And which lines are seen.
(() => {
  const charts = [...document.querySelectorAll('.plane')].map((plane) => {
    const svg = plane.closest('svg');
    const number = (name) => Number(plane.getAttribute(name));
    return {
      plane, svg, plot: svg.closest('.plot'), unit: plane.dataset.unit,
      x: number('x'), y: number('y'), width: number('width'), height: number('height'),
      until: Number(plane.dataset.until), step: Number(plane.dataset.width),
      lines: [...svg.querySelectorAll('[data-values]')], cursor: null,
    };
  });
  if (charts.length === 0) return;
  const form = document.querySelector('.pick');
  const status = form ? form.querySelector('.sr') : null;
  const tip = document.querySelector('.tip');
  let at = null;

  const amount = (value, unit) => {
    let [scaled, prefix] = [value, ''];
    if (unit === 'B' || unit === 'B/s') {
      for (const next of ['k', 'M', 'G']) {
        if (Math.abs(scaled) >= 1000) [scaled, prefix] = [scaled / 1000, next];
      }
    }
    const digits = Math.abs(scaled) >= 1000 ? 0 : 3;
    const text = digits === 0 ? Math.round(scaled).toLocaleString('en') : scaled.toPrecision(digits);
    const name = unit === '1/s' ? '/s' : unit === '%' ? '%' : ' ' + prefix + unit;
    return text + name;
  };
  const seconds = (value) => {
    const whole = Math.round(value);
    const two = (number) => String(number).padStart(2, '0');
    if (value < 180) return whole + ' s';
    if (value < 10800) return Math.floor(whole / 60) + ':' + two(whole % 60) + ' min';
    return Math.floor(whole / 3600) + ':' + two(Math.floor(whole / 60) % 60) + ' h';
  };
  // A line's values are taken apart when they are first asked for.
  const values = new Map();
  const value = (line, index) => {
    if (!values.has(line)) values.set(line, line.dataset.values.split(','));
    const text = values.get(line)[index];
    return text === undefined || text === '' ? null : Number(text);
  };
  const told = (chart) => {
    const index = Math.floor(at / chart.step);
    const seen = chart.lines.filter((line) => !line.classList.contains('off'));
    const means = seen.filter((line) => line.dataset.trial === '');
    const trials = seen.filter((line) => line.dataset.trial !== '');
    // More rows than these nobody reads at a glance.
    const lines = means.length + trials.length > 12 ? means : [...means, ...trials];
    return lines.map((line) => {
      const found = value(line, index);
      return line.dataset.name + ': ' + (found === null ? '–' : amount(found, chart.unit));
    });
  };
  const draw = () => {
    for (const chart of charts) {
      if (at === null || at > chart.until) {
        if (chart.cursor) chart.cursor.remove();
        chart.cursor = null;
        continue;
      }
      if (!chart.cursor) {
        chart.cursor = document.createElementNS('http://www.w3.org/2000/svg', 'line');
        chart.cursor.setAttribute('class', 'cursor');
        chart.svg.append(chart.cursor);
      }
      const x = chart.x + chart.width * at / chart.until;
      for (const [name, place] of [['x1', x], ['x2', x], ['y1', chart.y], ['y2', chart.y + chart.height]]) {
        chart.cursor.setAttribute(name, place);
      }
    }
  };
  const show = (chart, left, top) => {
    const rows = [seconds(at), ...told(chart)].map((words, index) => {
      const row = document.createElement(index === 0 ? 'b' : 'span');
      row.textContent = words;
      return row;
    });
    tip.replaceChildren(...rows);
    tip.hidden = false;
    const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = Math.max(8, left + 16 > room ? left - tip.offsetWidth - 16 : left + 16) + 'px';
    tip.style.top = Math.max(8, top - tip.offsetHeight - 12) + 'px';
  };
  const leave = () => {
    at = null;
    tip.hidden = true;
    draw();
  };
  for (const chart of charts) {
    chart.plane.addEventListener('pointermove', (event) => {
      const box = chart.plane.getBoundingClientRect();
      const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
      at = (Math.floor(share * chart.until / chart.step) + 0.5) * chart.step;
      at = Math.min(at, chart.until - chart.step / 2);
      draw();
      show(chart, event.clientX, event.clientY);
    });
    chart.plane.addEventListener('pointerleave', leave);
    chart.plot.addEventListener('keydown', (event) => {
      const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
      if (event.key === 'Escape') return leave();
      const last = chart.until - chart.step / 2;
      if (event.key in steps) {
        at = at === null ? chart.step / 2 : at + steps[event.key] * chart.step;
      } else if (event.key === 'Home') {
        at = chart.step / 2;
      } else if (event.key === 'End') {
        at = last;
      } else {
        return undefined;
      }
      event.preventDefault();
      at = Math.min(last, Math.max(chart.step / 2, at));
      draw();
      const box = chart.plane.getBoundingClientRect();
      show(chart, box.left + box.width * at / chart.until, box.top + box.height / 2);
      if (status) status.textContent = [seconds(at), ...told(chart)].join('; ');
      return undefined;
    });
    chart.plot.addEventListener('blur', leave);
  }

  if (!form) return;
  form.hidden = false;
  const names = [...document.querySelectorAll('[data-pick-variant]')];
  const pick = () => {
    const hidden = new Set(names.filter((box) => !box.checked).map((box) => box.dataset.pickVariant));
    const boxes = [...document.querySelectorAll('[data-pick-trial]')];
    const trials = new Set(boxes.filter((box) => !box.checked).map((box) => box.dataset.pickTrial));
    for (const place of document.querySelectorAll('[data-variant]')) {
      const trial = place.dataset.trial;
      const off = hidden.has(place.dataset.variant) || (trial && trials.has(trial));
      place.classList.toggle('off', Boolean(off));
    }
  };
  form.addEventListener('change', pick);
  form.addEventListener('submit', (event) => event.preventDefault());
})();
