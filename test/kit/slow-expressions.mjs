/**
 * Loaded with `--import`: the product with the regular expressions that it had before recheck judged them, so that tests can
 * show what a slow one does.
 */
import { registerHooks } from 'node:module';

const replacements = [
  {
    file: 'shared/protocol/zone-file/parse.ts',
    now: String.raw`/^(?=\d)(?:\d{1,10}[smhdw])*(?:\d{1,10})?$/i`,
    before: String.raw`/^(?:\d{1,10}[smhdw]?)+$/i`,
  },
  {
    file: 'shared/reports/dmarc/well-formed.ts',
    now: String.raw`(\/?>|[ \t\r\n](?:`,
    before: String.raw`(\s*\/?>|\s(?:`,
  },
  // Tests don't wait as long as a busy machine may need.
  {
    file: 'lib/local/host/threads/host-thread.ts',
    now: 'UNRESPONSIVE_SECONDS = 20;',
    before: 'UNRESPONSIVE_SECONDS = 4;',
  },
];

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const replacement = replacements.find(({ file }) => url.endsWith(`/${file}`));
    if (replacement === undefined) return loaded;
    const source = String(loaded.source);
    if (!source.includes(replacement.now)) throw new Error(`${url} does not contain ${replacement.now}`);
    return { ...loaded, source: source.replace(replacement.now, () => replacement.before) };
  },
});
