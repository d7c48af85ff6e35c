/** Test suites of other projects, as cases that our engine passes or not. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { standardSignature } from '../../../shared/notify/webhook.ts';
import { verifySignatures } from '../../../shared/protocol/dkim/verify.ts';
import { keyTag } from '../../../shared/protocol/dnssec/dnskey.ts';
import { readHeaderSection } from '../../../shared/protocol/message/header-section.ts';
import { evaluate } from '../../../shared/protocol/spf/evaluate.ts';
import { readFile } from '../../../shared/reports/read-mail.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';
import { withRows } from '../../shared/reports/read.ts';
import type { Source } from './sources.ts';

export interface Case {
  readonly id: string;
  /** What the suite expects, and what we say. */
  readonly expected: string;
  readonly ours: string;
}

export interface Suite {
  readonly name: string;
  readonly source: Source;
  /** How many cases it had when it was last looked at. */
  readonly known: number;
  cases(folder: string): AsyncGenerator<Case>;
}

const NOW = new Date('2026-01-01T00:00:00Z');

const REDISTRIBUTION = /Redistribution and use in source and binary forms/;
const PERMISSION = /Permission is hereby granted, free of charge/;
const EITHER = /Permission is hereby granted, free of charge|MIT License/;
const APACHE = /Apache License/;

const source = (
  repository: string,
  license: string,
  file: string,
  words: RegExp,
  sdist?: string,
): Source => ({
  ...{ name: repository.split('/')[1] ?? '', repository, license: { name: license, file, words } },
  ...(sdist !== undefined && { sdist }),
});
const pyspf = source(
  'sdgathman/pyspf',
  'BSD-3-Clause',
  'test/rfc7208-tests.LICENSE',
  REDISTRIBUTION,
  'pyspf==2.0.14',
);
const mailauth = source('postalsys/mailauth', 'MIT', 'LICENSE.txt', PERMISSION);
const mailAuth = source('stalwartlabs/mail-auth', 'Apache-2.0 or MIT', 'LICENSES/MIT.txt', PERMISSION);
const parsedmarc = source('domainaware/parsedmarc', 'Apache-2.0', 'LICENSE', APACHE);
const dmarcguard = source('meysam81/parse-dmarc', 'Apache-2.0', 'LICENSE', APACHE);
const ldns = source('NLnetLabs/ldns', 'BSD-3-Clause', 'LICENSE', REDISTRIBUTION);
const webhooks = source('standard-webhooks/standard-webhooks', 'MIT', 'libraries/LICENSE', EITHER);

const KEY_TAGS = 'test/12-unit-tests-dnssec.tpkg/12-unit-tests-dnssec.c';

export const suites: readonly Suite[] = (
  [
    ['OpenSPF suite of RFC 7208', 203, pyspf, spfCases, 'test/rfc7208-tests.yml'],
    ['OpenSPF suite, as mailauth runs it', 200, mailauth, spfCases, 'test/fixtures/spf/rfc7208-tests.yml'],
    ['DKIM messages of mail-auth', 8, mailAuth, dkimCases, 'resources/dkim'],
    ['DMARC reports of mail-auth', 10, mailAuth, dmarcCases, 'resources/dmarc-feedback'],
    ['TLS reports of mail-auth', 3, mailAuth, tlsCases, 'resources/tlsrpt'],
    ['Samples of parsedmarc', 29, parsedmarc, sampleCases, 'samples'],
    ['Sample of dmarcguard', 1, dmarcguard, dmarcguardCases, 'internal/parser/dmarc_test.go'],
    ['Key tags of ldns', 4, ldns, keyTagCases, KEY_TAGS],
    ['Vectors of Standard Webhooks', 1, webhooks, webhookCases, 'libraries/javascript/src/webhook.test.ts'],
  ] as const
).map(([name, known, from, cases, path]) => ({
  ...{ name, known, source: from },
  cases: (folder) => cases(join(folder, path)),
}));

interface SpfScenario {
  readonly tests: Readonly<
    Record<
      string,
      { helo: string; host: string; mailfrom: string; result: string | string[]; explanation?: string }
    >
  >;
  readonly zonedata: Readonly<Record<string, readonly (string | Record<string, unknown>)[]>>;
}

async function* spfCases(file: string): AsyncGenerator<Case> {
  for (const document of readFileSync(file, 'utf8').split(/^---$/m).slice(1)) {
    const scenario = parse(document, { uniqueKeys: false }) as SpfScenario | null;
    if (scenario?.tests === undefined) continue;
    const dns = zone(spfZone(scenario.zonedata));
    for (const [id, { helo, host: ip, mailfrom: mailFrom, result }] of Object.entries(scenario.tests)) {
      const { result: ours } = await evaluate({ ip: String(ip), mailFrom, helo, now: NOW }, dns);
      const expected = [result].flat();
      yield {
        id,
        expected: expected.join(' or '),
        ours: expected.includes(ours) ? expected.join(' or ') : ours,
      };
    }
  }
}

/** Records of type SPF are those of type TXT, unless a name has its own (see the head of the suite). */
function spfZone(data: SpfScenario['zonedata']): ZoneLiteral {
  return Object.fromEntries(
    Object.entries(data).map(([name, records]) => {
      const held: Record<string, unknown> = {};
      const add = (type: string, value: unknown) => {
        held[type] = [...((held[type] as unknown[] | undefined) ?? []), value];
      };
      const objects = records.filter((record) => typeof record === 'object');
      const hasText = objects.some((record) => 'TXT' in record);
      for (const record of objects)
        for (const [type, value] of Object.entries(record)) {
          if (type === 'SPF' && !hasText) add('TXT', textOf(value));
          else if (type === 'TXT' && value !== 'NONE') add('TXT', textOf(value));
          else if (type === 'MX') add('MX', value);
          else if (type !== 'SPF' && type !== 'TXT') add(type, value);
        }
      if (records.includes('TIMEOUT'))
        for (const type of ['A', 'AAAA', 'MX', 'TXT', 'PTR']) held[type] ??= 'TIMEOUT';
      return [name, held];
    }),
  );
}

/** YAML has octets above 127 as characters. */
const textOf = (value: unknown): string | readonly string[] =>
  Array.isArray(value) ? value.map(String) : String(value);

/** Key records, an empty line, and a message that has valid signatures only. */
async function* dkimCases(folder: string): AsyncGenerator<Case> {
  for (const file of readdirSync(folder)) {
    const text = readFileSync(join(folder, file), 'latin1');
    const end = text.search(/\r?\n\r?\n/);
    const keys = text.slice(0, end).split(/\r?\n/);
    const message = Buffer.from(text.slice(end).replace(/^\s+/, '').replace(/\r?\n/g, '\r\n'), 'latin1');
    const names = keys.map((line) => [
      line.slice(0, line.indexOf(' ')),
      { TXT: [line.slice(line.indexOf(' ') + 1)] },
    ]);
    const { signatures } = await verifySignatures(
      message,
      readHeaderSection(message),
      zone(Object.fromEntries(names)),
      new Date('2018-06-10T14:00:00Z'),
    );
    for (const { domain, verdict } of signatures)
      yield { id: `${file} ${domain}`, expected: 'pass', ours: verdict };
  }
}

async function* dmarcCases(folder: string): AsyncGenerator<Case> {
  for (const [file, bytes, expected] of pairs(folder)) {
    const records: { row: { count: number } }[] = JSON.parse(expected).record;
    const messages = records.reduce((sum, { row }) => sum + row.count, 0);
    const wanted = `${records.length} rows, ${messages} messages`;
    yield { id: file, expected: wanted, ours: await reportOf(file, bytes) };
  }
}

async function* tlsCases(folder: string): AsyncGenerator<Case> {
  for (const [file, bytes, expected] of pairs(folder)) {
    const { 'report-id': id, policies } = JSON.parse(expected);
    yield {
      id: file,
      expected: `TLS report ${id}, ${policies.length} policies`,
      ours: await reportOf(file, bytes),
    };
  }
}

/** Inputs with the JSON that they are read as beside them; a JSON file without an input is one itself. */
function* pairs(folder: string): Generator<[string, Buffer, string]> {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const [input = file] = readdirSync(folder).filter(
      (name) => name !== file && name.startsWith(`${file.slice(0, -5)}.`),
    );
    yield [input, readFileSync(join(folder, input)), readFileSync(join(folder, file), 'utf8')];
  }
}

/** What we read of a file: a report in a few words, or why it is none. */
async function reportOf(name: string, bytes: Buffer): Promise<string> {
  const outcomes = await readFile(name, bytes);
  const said = [];
  for (const outcome of outcomes) {
    if (outcome.outcome === 'dmarc') {
      const { rows } = await withRows(outcome);
      said.push(`${rows.length} rows, ${rows.reduce((sum, { count }) => sum + count, 0)} messages`);
    } else if (outcome.outcome === 'tls') {
      said.push(`TLS report ${outcome.report.reportId}, ${outcome.report.policies.length} policies`);
    } else said.push(outcome.outcome);
  }
  return said.join('; ');
}

/** What parsedmarc reads, we read: a report about as many rows as its file has, or a failure report. */
async function* sampleCases(folder: string): AsyncGenerator<Case> {
  for (const kind of ['aggregate', 'aggregate_invalid', 'smtp_tls', 'failure'])
    for (const file of readdirSync(join(folder, kind))) {
      const bytes = readFileSync(join(folder, kind, file));
      const said = await reportOf(file, bytes);
      const isRead = kind === 'failure' ? said.includes('failure') : /\d+ rows|TLS report/.test(said);
      const expected = kind === 'failure' ? 'a failure report' : 'a report';
      yield { id: `${kind}/${file}`, expected, ours: isRead ? expected : said };
    }
}

/** The report in the test of its parser, between the quotes of Go. */
async function* dmarcguardCases(file: string): AsyncGenerator<Case> {
  const [, xml = ''] = /`(<\?xml[^`]+)`/.exec(readFileSync(file, 'utf8')) ?? [];
  const counts = [...xml.matchAll(/<count>(\d+)<\/count>/g)].map(([, count]) => Number(count));
  const expected = `${counts.length} rows, ${counts.reduce((sum, count) => sum + count, 0)} messages`;
  yield { id: 'dmarc_test.go', expected, ours: await reportOf('report.xml', Buffer.from(xml)) };
}

/** Keys in zone file form, and their tags (RFC 4034 appendix B). */
async function* keyTagCases(file: string): AsyncGenerator<Case> {
  const pairs = /key_str = "(\S+) IN (\w+) (\d+) (\d+) (\d+) ([^"]+)";\s+expected_keytag = (\d+);/g;
  for (const [, owner, type, flags, protocol, algorithm, key = '', tag] of readFileSync(
    file,
    'utf8',
  ).matchAll(pairs)) {
    const head = Buffer.alloc(4);
    head.writeUInt16BE(Number(flags));
    head.writeUInt8(Number(protocol), 2);
    head.writeUInt8(Number(algorithm), 3);
    const rdata = Buffer.concat([head, Buffer.from(key.replaceAll(' ', ''), 'base64')]);
    yield { id: `${owner} ${type} ${algorithm}`, expected: String(tag), ours: String(keyTag(rdata)) };
  }
}

/** The message whose signature the test of the reference library knows. */
async function* webhookCases(file: string): AsyncGenerator<Case> {
  const text = readFileSync(file, 'utf8');
  const test = text.slice(text.indexOf('sign function works'));
  const value = (name: string) => new RegExp(`${name} = ["']([^\\n]+)["'];`).exec(test)?.[1] ?? '';
  const seconds = /Date\((\d+) \* 1000\)/.exec(test)?.[1] ?? '';
  const signed = `${value('msgId')}.${seconds}.${value('payload')}`;
  yield { id: 'sign', expected: value('expected'), ours: standardSignature(value('key'), signed) };
}
