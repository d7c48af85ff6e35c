/** Reports of the first layout: each fact was an attribute of its own, and the rows were compressed by themselves. */
import { gunzipSync } from 'node:zlib';
import { packBody } from './report-body.ts';

type Item = Readonly<Record<string, unknown>>;

/** The same report in the second layout. */
export function packedReport(item: Item): Item {
  const { contentHash, report, receivedAt, authenticated, warnings, rows, rowOctets, inline, ...others } =
    item;
  // A read of only some attributes names none of these.
  if (report === undefined) return item;
  const text = inline instanceof Uint8Array && inline.length > 0 ? gunzipSync(inline).toString('utf8') : '';
  const facts = { contentHash, report, receivedAt, authenticated, warnings, rows, rowOctets };
  return { ...others, body: packBody(facts, text) };
}
