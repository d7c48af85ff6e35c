/**
 * The parts of documents that are printed from the code, between `<!-- name -->` and `<!-- /name -->`.
 * `node test/docs/documents.ts` writes them anew; a test says when that was forgotten.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { routes } from '../../functions/routes.ts';
import { triggers } from '../../functions/triggers.ts';
import { assumed, costOf } from '../../lib/cloud/cost.ts';
import { catalogue } from '../../shared/protocol/findings/catalogue.ts';
import type { Rules } from '../../shared/protocol/findings/finding.ts';
import type { Route } from '../../shared/runtime/route.ts';
import type { Trigger } from '../../shared/runtime/trigger.ts';

export interface Part {
  /** Path from the root of the project. */
  readonly file: string;
  readonly name: string;
  readonly text: string;
}

export const parts: readonly Part[] = [
  { file: 'README.md', name: 'endpoints', text: endpoints(Object.values(routes)) },
  { file: 'README.md', name: 'triggers', text: work(Object.values(triggers)) },
  { file: 'README.md', name: 'costs', text: costs([100, 10_000, 1_000_000]) },
  { file: 'shared/protocol/findings/README.md', name: 'findings', text: findings(catalogue) },
];

/** A document with one part written anew. */
export function withPart(document: string, { name, text }: Part): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`the document has no place for ${name}`);
  return `${document.slice(0, from + begin.length)}\n${text}\n${document.slice(to)}`;
}

export function readDocument(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function endpoints(rows: readonly Route[]): string {
  return table(
    ['endpoint', 'what it does', 'access', 'handler'],
    rows.map(({ method, path, summary, access, handler }) => [
      `\`${method} ${path}\``,
      summary,
      access,
      `\`functions/${handler}.ts\``,
    ]),
  );
}

function work(rows: readonly Trigger[]): string {
  return table(
    ['started by', 'what it does', 'handler'],
    rows.map(({ source, summary, handler }) => [startedBy(source), summary, `\`functions/${handler}.ts\``]),
  );
}

function startedBy(source: Trigger['source']): string {
  return source.kind === 'queue' ? `queue \`${source.queue}\`` : `every ${source.everySeconds} s`;
}

function costs(sizes: readonly number[]): string {
  const columns = sizes.map(costOf);
  const sums = columns.map((column) => column.reduce((sum, { dollars }) => sum + dollars, 0));
  const count = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 0 });
  const money = (dollars: number) => (dollars > 0 && dollars < 1 ? '< 1' : count(dollars));
  const items = (columns[0] ?? []).map(({ item }, at) => [
    item,
    ...columns.map((column) => money(column[at]?.dollars ?? Number.NaN)),
  ]);
  const { mails, checks, requests, monthsKept } = assumed;
  return [
    table(
      ['dollars a month', ...sizes.map((size) => `${count(size)} domains`)],
      [
        ...items,
        ['**all**', ...sums.map((sum) => `**${money(sum)}**`)],
        ['a domain', ...sums.map((sum, at) => (sum / (sizes[at] ?? Number.NaN)).toFixed(2))],
      ],
    ),
    '',
    `A domain is taken to bring ${count(mails)} report mails, ${checks} checks and ${count(requests)} requests a month,`,
    `of which ${monthsKept} months are kept.`,
  ].join('\n');
}

function findings(all: Rules): string {
  return table(
    ['id', 'severity', 'rests on', 'how to fix it'],
    Object.entries(all).map(([id, { severity, cites, fix }]) => [`\`${id}\``, severity, cites, fix]),
  );
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  for (const part of parts) {
    writeFileSync(new URL(`../../${part.file}`, import.meta.url), withPart(readDocument(part.file), part));
  }
}
