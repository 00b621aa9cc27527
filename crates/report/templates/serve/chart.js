// Charts over time as inline SVG: areas on top of each other, or lines. `draw` draws anew each time;
// a thousand points take a few milliseconds.
const Chart = (() => {
  const space = 'http://www.w3.org/2000/svg';
  const [height, left, right, top, bottom] = [250, 52, 12, 14, 28];
  const make = (name, attributes, text) => {
    const element = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const short = (value) => {
    const size = Math.abs(value);
    const [scaled, unit] = size >= 1e6 ? [value / 1e6, 'M'] : size >= 1e4 ? [value / 1e3, 'k'] : [value, ''];
    return Number(scaled.toPrecision(3)) + unit;
  };
  // 1, 2 or 5 times a power of ten, so that there are about `count` of them up to `most`.
  const step = (most, count) => {
    const raw = most / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    return power * ([1, 2, 5].find((factor) => raw <= factor * power) ?? 10);
  };
  const timeStep = (most, count) => [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400].find((each) => most / each <= count) ?? 28800;
  const instant = (seconds) => seconds < 180 ? `${seconds} s`
    : seconds < 10800 ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`
      : `${Math.floor(seconds / 3600)}:${String(Math.floor(seconds / 60) % 60).padStart(2, '0')} h`;

  // points: [{ at, length, values }], series: [class], phases: [{ name, from_s, until_s }].
  const draw = (svg, { points, series, phases, until, stacked }) => {
    const parts = [];
    // As wide as there is room, so that words keep their size.
    const width = Math.max(280, svg.parentElement.clientWidth);
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const last = points.at(-1)?.at ?? 0;
    const most_x = Math.max(until, last, 1);
    const sum = (point) => point.values.reduce((all, value) => all + value, 0);
    const most = Math.max(1e-9, ...points.map((point) => stacked ? sum(point) : Math.max(0, ...point.values)));
    const each = step(most, 4);
    const most_y = Math.max(each, Math.ceil(most / each) * each);
    const x = (at) => left + (width - left - right) * at / most_x;
    const y = (value) => height - bottom - (height - top - bottom) * value / most_y;
    const place = (number) => number.toFixed(1);
    for (const phase of phases) {
      if (phase.name !== 'measure') {
        parts.push(make('rect', { class: 'ramp', x: place(x(phase.from_s)), y: top, width: place(x(Math.min(phase.until_s, most_x)) - x(phase.from_s)), height: height - top - bottom }));
      }
      parts.push(make('line', { class: 'phase', x1: place(x(phase.from_s)), x2: place(x(phase.from_s)), y1: top, y2: height - bottom }));
      parts.push(make('text', { x: place(x(phase.from_s) + 4), y: top + 10 }, phase.name));
    }
    for (let value = 0; value <= most_y * 1.0001; value += each) {
      parts.push(make('line', { class: 'grid', x1: left, x2: width - right, y1: place(y(value)), y2: place(y(value)) }));
      parts.push(make('text', { class: 'end', x: left - 8, y: place(y(value) + 4) }, short(value)));
    }
    const tick = timeStep(most_x, width / 110);
    for (let at = 0; at <= most_x; at += tick) {
      parts.push(make('text', { class: 'middle', x: place(Math.min(x(at), width - 24)), y: height - 8 }, instant(at)));
    }
    let below = points.map(() => 0);
    series.forEach((name, index) => {
      const values = points.map((point) => point.values[index] ?? 0);
      if (points.length === 0) return;
      const above = stacked ? values.map((value, at) => value + below[at]) : values;
      // A second is drawn as long as it was.
      const line = points.map((point, at) => `${place(x(Math.max(0, point.at - point.length)))},${place(y(above[at]))} ${place(x(point.at))},${place(y(above[at]))}`);
      if (stacked) {
        const back = points.map((point, at) => `${place(x(point.at))},${place(y(below[at]))} ${place(x(Math.max(0, point.at - point.length)))},${place(y(below[at]))}`).reverse();
        parts.push(make('polygon', { class: 'area ' + name, points: [...line, ...back].join(' ') }));
        below = above;
      } else {
        const middle = points.map((point, at) => `${place(x(point.at - point.length / 2))},${place(y(above[at]))}`);
        parts.push(make('polyline', { class: 'line ' + name, points: middle.join(' ') }));
      }
    });
    svg.replaceChildren(...parts);
  };
  return { draw, short };
})();
