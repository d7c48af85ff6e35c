/**
 * The generated parts of the documents, between `<!-- name -->` and `<!-- /name -->`. `npm run docs` updates them; a
 * test fails while they are out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { routes } from '../../functions/routes.ts';
import { triggers } from '../../functions/triggers.ts';
import { lineMetrics } from '../../lib/local/host/line-metrics.ts';
import { alertTypes } from '../../shared/alerts/alert.ts';
import { errorTable } from '../../shared/api/error-table.ts';
import { API_VERSION } from '../../shared/api/version.ts';
import { type RuleRow, receiverRules } from '../../shared/mail-test/receivers.ts';
import { explain, problemCodes } from '../../shared/mailboxes/problem.ts';
import { openApiDocument } from '../../shared/openapi/document.ts';
import { shareParts } from '../../shared/openapi/share-parts.ts';
import { catalogue } from '../../shared/protocol/findings/catalogue.ts';
import type { Rules } from '../../shared/protocol/findings/finding.ts';
import { sampleOf } from '../../shared/protocol/findings/sample.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import type { Trigger } from '../../shared/runtime/workers/trigger.ts';
import { type Entity, entities } from '../../shared/store/entities.ts';
import { indexPartitions, partitions } from '../../shared/store/keys.ts';
import { judges as allJudges } from '../judges/judges.ts';
import { plantedBugs } from '../judges/simulation/planted.ts';
import { different } from '../judges/suites/different.ts';
import { suites } from '../judges/suites/suites.ts';
import agreements from '../judges/zones/agreement.json' with { type: 'json' };
import type { Agreement } from '../judges/zones/agreement.ts';
import { disagreements } from '../judges/zones/disagreements.ts';
import { leastRoles } from '../kit/least-roles.ts';
import { stories } from '../kit/stories.ts';
import { type Difference, differences } from '../shared/protocol/dnssec/judge-differences.ts';
import { factTable, profileTable, requirementTables } from './compliance.ts';
import { contextRows, environmentRows, type Row } from './configuration.ts';
import { assumed, costOf, costOfDigests } from './cost.ts';
import { colorTokens, componentRows, otherTokens } from './design.ts';
import { screenshotRows, widths } from './screenshot-pages.ts';

export interface Part {
  /** Path from the root of the project. */
  readonly file: string;
  readonly name: string;
  readonly text: string;
}

export const parts: readonly Part[] = [
  { file: 'docs/alerts.md', name: 'alert-types', text: alertTable() },
  { file: 'docs/api.md', name: 'endpoints', text: endpoints(Object.values(routes)) },
  { file: 'docs/api.md', name: 'errors', text: errors() },
  { file: 'docs/api.md', name: 'receivers', text: receivers(receiverRules) },
  { file: 'docs/architecture.md', name: 'triggers', text: backgroundJobs(Object.values(triggers)) },
  { file: 'docs/architecture.md', name: 'keys', text: tableKeys(entities) },
  { file: 'docs/architecture.md', name: 'index', text: indexKeys(entities) },
  { file: 'docs/compliance.md', name: 'profiles', text: profileTable(table) },
  { file: 'docs/compliance.md', name: 'requirements', text: requirementTables(table) },
  { file: 'docs/compliance.md', name: 'facts', text: factTable(table) },
  { file: 'docs/configuration.md', name: 'environment', text: settings(environmentRows()) },
  { file: 'docs/configuration.md', name: 'context', text: settings(contextRows()) },
  {
    file: 'docs/design.md',
    name: 'colors',
    text: table(['Token', 'Light', 'Contrast', 'Dark', 'Contrast', 'For'], colorTokens()),
  },
  { file: 'docs/design.md', name: 'tokens', text: table(['Token', 'Value', 'For'], otherTokens()) },
  {
    file: 'docs/design.md',
    name: 'components',
    text: table(['Part', 'Made by', 'Classes', 'Use it for'], componentRows()),
  },
  { file: 'docs/dnssec.md', name: 'judges', text: judges(differences) },
  { file: 'docs/judges.md', name: 'suites', text: suiteTable() },
  { file: 'docs/judges.md', name: 'different', text: differenceTable() },
  { file: 'docs/judges.md', name: 'planted', text: plantedBugs.map(({ name }) => `- ${name}.`).join('\n') },
  { file: 'docs/judges.md', name: 'judges', text: judgeTable() },
  { file: 'docs/judges.md', name: 'agreement', text: agreementTable() },
  { file: 'docs/judges.md', name: 'disagreements', text: disagreementTable() },
  { file: 'docs/cost-and-scale.md', name: 'costs', text: costs([100, 10_000, 1_000_000]) },
  { file: 'docs/mailboxes.md', name: 'mailbox-problems', text: mailboxProblems() },
  { file: 'docs/people.md', name: 'roles', text: roleTable() },
  {
    file: 'docs/screenshots.md',
    name: 'screenshots',
    text: table(['Page', ...widths.map((width) => `${width} pixels`)], screenshotRows()),
  },
  { file: 'docs/screenshots.md', name: 'stories', text: storyTable() },
  { file: 'docs/self-host.md', name: 'metrics', text: metricTable() },
  { file: 'shared/protocol/findings/README.md', name: 'findings', text: findings(catalogue) },
];

/** What `/api/openapi.json` answers on a service at this address. */
const hostUrl = 'https://monitor.example';
export const API_DOCUMENT = 'docs/openapi.json';
export const apiDocument = (): string =>
  `${readableJson(shareParts(openApiDocument(Object.values(routes), { hostUrl, version: API_VERSION })))}\n`;

const WIDTH = 110;

/** JSON in lines of moderate length: what is short is on one line. */
function readableJson(value: unknown, indent = ''): string {
  const short = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || short.length <= WIDTH) return short;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).flatMap(([key, one]) => {
    const name = isList ? '' : `${JSON.stringify(key)}: `;
    return one === undefined ? [] : [`${indent}  ${name}${readableJson(one, `${indent}  `)}`];
  });
  return `${isList ? '[' : '{'}\n${parts.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
}

/** The test suites of others that `npm run judge suites` runs. */
function suiteTable(): string {
  const rows = suites.map(({ name, source: { repository, license }, known }) => {
    const differences = different.filter(({ suite }) => suite === name).length;
    const link = `[${repository}](https://github.com/${repository})`;
    return [name, link, license.name, String(known - differences), String(differences)];
  });
  return table(['Suite', 'From', 'License', 'Passed', 'Judged different'], rows);
}

function differenceTable(): string {
  return table(
    ['Suite', 'Case', 'Why'],
    different.map(({ suite, id, reason }) => [suite, `\`${id}\``, reason]),
  );
}

/** The least role of each endpoint, page and form: those that a test tries. */
function roleTable(): string {
  const named = Object.values(routes).map(({ name, method, path }) => [
    `\`${method} ${path}\``,
    leastRoles[name as keyof typeof routes],
  ]);
  return table(['Endpoint, page or form', 'Least role'], named);
}

/** Returns the document with one part replaced by its current text. Throws if it has no markers for the part. */
export function withPart(document: string, { name, text }: Part): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`the document has no markers for ${name}`);
  return `${document.slice(0, from + begin.length)}\n${text}\n${document.slice(to)}`;
}

export function readDocument(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
}

/** Returns the fenced code blocks in a language, such as `sh`. */
export function codeBlocks(document: string, language: string): string[] {
  const fenced = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  return [...document.matchAll(fenced)].map(([, block = '']) => block);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function judgeTable(): string {
  return table(
    ['Judge', 'What is judged'],
    allJudges.map(({ name, what }) => [`\`npm run judge ${name}\``, what]),
  );
}

function agreementTable(): string {
  const cells = (agreements as readonly Pick<Agreement, 'judge' | 'cells'>[]).flatMap(
    ({ judge, cells: by }) =>
      Object.entries(by).map(([of, { agree, onlyOurs, onlyTheirs }]) => [
        judge,
        of,
        ...[agree, onlyOurs, onlyTheirs].map(String),
      ]),
  );
  return table(['Judge', 'Faults', 'Both agree', 'Found by us alone', 'Found by the judge alone'], cells);
}

function disagreementTable(): string {
  const rows = disagreements.map(({ judge, who, class: of, faults, why }) => [
    judge,
    who === 'ours' ? 'we' : judge,
    `${of}: ${faults.join('; ')}`,
    why,
  ]);
  return table(['Judge', 'Found by', 'Faults', 'Why'], rows);
}

function storyTable(): string {
  const rows = stories.map(({ name, clicks, fields, seconds }) => [
    name,
    ...[clicks, fields, seconds].map(String),
  ]);
  return table(['Story', 'Clicks', 'Fields', 'Seconds, at most'], rows);
}

function metricTable(): string {
  const rows = [...lineMetrics].flatMap(([line, metrics]) =>
    metrics.map(({ name, cloudWatch, kind, by }) => [
      `\`${name}\``,
      kind,
      by.map((label) => `\`${label}\``).join(', '),
      `\`${cloudWatch}\``,
      `\`${line}\``,
    ]),
  );
  return table(['Metric', 'Kind', 'Labels', 'In CloudWatch', 'Log line'], rows);
}

function endpoints(rows: readonly Route[]): string {
  return table(
    ['Endpoint', 'Description', 'Access', 'Handler'],
    rows.flatMap(({ method, path, summary, access, handler, success: { formats = [] } }) => {
      const row = (calledPath: string, text: string) => [
        `\`${method} ${calledPath}\``,
        text,
        access,
        `\`functions/${handler}.ts\``,
      ];
      return [row(path, summary), ...formats.map((one) => row(`${path}${one.ending}`, one.summary))];
    }),
  );
}

function alertTable(): string {
  return table(
    ['Type', 'Raised when', 'Severity'],
    Object.entries(alertTypes).map(([type, { raised, severity }]) => [code(type), raised, severity]),
  );
}

function mailboxProblems(): string {
  return table(
    ['Code', 'What to do'],
    problemCodes.map((name) => [code(name), explain({ code: name, message: '' }).fix]),
  );
}

function errors(): string {
  return table(
    ['Status', 'Code', 'Message, unless a more specific one applies'],
    Object.entries(errorTable).map(([code, { status, message }]) => [String(status), `\`${code}\``, message]),
  );
}

function backgroundJobs(rows: readonly Trigger[]): string {
  return table(
    ['Started by', 'Description', 'Handler'],
    rows.map(({ source, summary, handler }) => [startedBy(source), summary, `\`functions/${handler}.ts\``]),
  );
}

function code(text: string): string {
  return `\`${text}\``;
}

/** The name of the partitions that a key is in. No prefix covers the keys of another one. */
function partitionOf(key: string, prefixes: Readonly<Record<string, string>>): string {
  const [name] = Object.entries(prefixes).find(([, prefix]) => key.startsWith(prefix)) ?? [];
  if (name === undefined) throw new Error(`no partition: ${key}`);
  return code(name);
}

function tableKeys(rows: readonly Entity[]): string {
  return table(
    ['Partitions', 'Partition key', 'Sort key', 'Item', 'Found by'],
    rows.flatMap(({ holds, keys, read = ['get'], index }) => {
      const requests = read.map((one) => (typeof one === 'string' ? one : `query ${code(one.made.prefix)}`));
      const found = index === undefined ? requests : [...requests, 'index'];
      return [...new Set(keys.map(({ made }) => made.pk))].map((pk) => {
        const sortKeys = keys.filter(({ made }) => made.pk === pk).map(({ made }) => code(made.sk));
        return [partitionOf(pk, partitions), code(pk), sortKeys.join(', '), holds, found.join('; ')];
      });
    }),
  );
}

function indexKeys(rows: readonly Entity[]): string {
  return table(
    ['Partitions', 'Partition key', 'Sort key', 'Lists'],
    [...new Set(rows.flatMap(({ index }) => index ?? []))].flatMap(({ at, lists }) =>
      at.map(({ made: { gsi1pk, gsi1sk } }) => [
        partitionOf(gsi1pk, indexPartitions),
        // Only the number of the shard is calculated from the arguments.
        code(gsi1pk.replace(/\d+$/, '<shard>')),
        code(gsi1sk),
        lists,
      ]),
    ),
  );
}

function judges(rows: readonly Difference[]): string {
  return table(
    ['Judge', 'Case', 'Here', 'Judge says', 'Why'],
    rows.map(({ judge, what, ours, theirs, why }) => [judge, what, ours, theirs, why]),
  );
}

function receivers(rows: readonly RuleRow[]): string {
  return table(
    ['Receiver', 'Senders', 'Rule', 'Otherwise', 'Reply', 'Source'],
    rows.map(({ receiver, senders, rule, delivery, reply, source }) => [
      receiver,
      senders,
      rule,
      delivery,
      reply === null ? '' : `\`${reply}\``,
      source === null ? 'common practice' : `[${new URL(source).hostname}](${source})`,
    ]),
  );
}

function startedBy(source: Trigger['source']): string {
  return source.kind === 'queue' ? `queue \`${source.queue}\`` : `every ${source.everySeconds} s`;
}

function settings(rows: readonly Row[]): string {
  return table(
    ['Key', 'Default', 'Description'],
    rows.map(([key, fallback, meaning]) => [`\`${key}\``, fallback, meaning]),
  );
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
  const largest = Math.max(...sizes);
  return [
    table(
      ['US dollars per month', ...sizes.map((size) => `${count(size)} domains`)],
      [
        ...items,
        ['**total**', ...sums.map((sum) => `**${money(sum)}**`)],
        ['per domain', ...sums.map((sum, at) => (sum / (sizes[at] ?? Number.NaN)).toFixed(3))],
      ],
    ),
    '',
    `Assumptions per domain and month: ${count(mails)} report mails, ${checks} check runs and ${count(requests)} API`,
    `requests. Data of ${monthsKept} months is kept. A weekly digest for each of ${count(largest)} domains, if each is an`,
    `organization of its own, costs $${count(costOfDigests(largest))} more.`,
  ].join('\n');
}

function findings(all: Rules): string {
  return table(
    ['Rule', 'Severity', 'Citation', 'Fix'],
    Object.entries(all).map(([id, { severity, cites, fix }]) => [
      `\`${id}\``,
      severity,
      cites,
      sampleOf(fix),
    ]),
  );
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  for (const part of parts) {
    writeFileSync(new URL(`../../${part.file}`, import.meta.url), withPart(readDocument(part.file), part));
  }
  writeFileSync(new URL(`../../${API_DOCUMENT}`, import.meta.url), apiDocument());
  const { LIBRARY_API, libraryApi } = await import('./library-api.ts');
  writeFileSync(new URL(`../../${LIBRARY_API}`, import.meta.url), await libraryApi());
}
