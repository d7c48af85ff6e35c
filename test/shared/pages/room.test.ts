import { expect, test } from '@jest/globals';
import { html, type Markup } from '../../../shared/pages/markup.ts';
import { first, fitting, inTurn } from '../../../shared/pages/room.ts';

const ten = Array.from({ length: 10 }, (_, n) => n);
const fourBytes = (n: number) => html`${n}–`;

test('a list shows the entries that fit in bytes, and renders at most one that does not', () => {
  const rendered: number[] = [];
  const { shown, omitted } = fitting(ten, 14, (n) => {
    rendered.push(n);
    return fourBytes(n);
  });
  expect([shown.map(String), omitted]).toEqual([['0–', '1–', '2–'], 7]);
  expect(rendered).toEqual([0, 1, 2, 3]);
  expect(String(first(ten, 14, fourBytes))).toContain('and 7 more, available through the API');
  expect(String(first(ten, 40, fourBytes))).toBe('0–1–2–3–4–5–6–7–8–9–');
});

test('parts get the room that those before them left, and never all of it but the last', () => {
  const rooms: number[] = [];
  const part =
    (bytes: number) =>
    (room: number): Markup => {
      rooms.push(room);
      return html`${'x'.repeat(bytes)}`;
    };
  inTurn(120, [part(60), part(0), part(40)]);
  expect(rooms).toEqual([60, 40, 60]);
});
