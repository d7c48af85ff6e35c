import { expect, test } from '@jest/globals';
import { describeMessage } from '../../../shared/mail-test/facts.ts';
import { inspectHeaders, parseDate } from '../../../shared/mail-test/headers.ts';
import { verifySignatures } from '../../../shared/protocol/dkim/verify.ts';
import { authorDomains } from '../../../shared/protocol/message/author.ts';
import { evaluateMessage, readMessage } from '../../../shared/protocol/message/evaluate.ts';
import { readHeaderSection, valuesOf } from '../../../shared/protocol/message/header-section.ts';
import { corpusBytes, corpusJson, corpusSuite } from '../../kit/corpus.ts';
import { type Failure, type ZoneLiteral, type ZoneNode, zone } from '../../kit/zone.ts';

interface CorpusFile {
  readonly kind: string;
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: foreign data of several shapes
  readonly expected: any;
  // biome-ignore lint/suspicious/noExplicitAny: foreign data of several shapes
  readonly dns?: any;
  readonly quirk?: unknown;
  readonly disputed?: unknown;
}

const filesOf = (kind: string): CorpusFile[] =>
  corpusJson('manifest.json').files.filter(
    (file: CorpusFile) => file.kind === kind && !file.quirk && !file.disputed,
  );

const failureOf = (error: string) => (/time/i.test(error) ? 'TIMEOUT' : 'SERVFAIL');

/** Key records by name: one text, several, none, or a failure. */
function keyZone(records: Record<string, string | string[] | { error: string } | null>): ZoneLiteral {
  const literal: Record<string, ZoneNode | Failure> = {};
  for (const [name, record] of Object.entries(records)) {
    if (record === null) continue;
    if (typeof record === 'object' && 'error' in record) literal[name] = failureOf(record.error);
    else literal[name] = { TXT: [record].flat() };
  }
  return literal;
}

/** Records by name and type; null means absent. */
function zoneOf(records: Record<string, Record<string, unknown> | null>): ZoneLiteral {
  const literal: Record<string, ZoneNode | Failure> = {};
  for (const [name, held] of Object.entries(records)) {
    if (held === null || held.error === 'NXDOMAIN') continue;
    if (typeof held.error === 'string') literal[name] = failureOf(held.error);
    else
      literal[name] = Object.fromEntries(Object.entries(held).filter(([, values]) => Array.isArray(values)));
  }
  return literal;
}

corpusSuite('signed messages of the corpus', () => {
  const cases = filesOf('dkim')
    .filter(({ expected }) => expected.any_signature_passes !== null)
    .map((file) => [file.path, file] as const);

  test('include enough cases', () => expect(cases.length).toBeGreaterThan(50));

  test.each(cases)('%s', async (path, { expected, dns }) => {
    const message = corpusBytes(path);
    const { signatures, more } = await verifySignatures(
      message,
      readHeaderSection(message),
      zone(keyZone(dns ?? {})),
      new Date('2026-11-21T00:00:00Z'),
    );
    expect(signatures.some(({ verdict }) => verdict === 'pass')).toBe(expected.any_signature_passes);
    // The corpus counts a message without a signature as one.
    expect(Math.max(1, signatures.length + more)).toBe(expected.signatures);
  });
});

corpusSuite('messages of the corpus with a DMARC result', () => {
  const cases = filesOf('dmarc-eval').map((file) => [file.path, file] as const);

  test('include enough cases', () => expect(cases.length).toBeGreaterThan(7));

  test.each(cases)('%s', async (path, { expected, dns }) => {
    const { dmarc } = await evaluateMessage(
      readMessage(corpusBytes(path)),
      { ip: expected.client_ip, helo: '', mailFrom: expected.mail_from ?? '' },
      zone(zoneOf(dns)),
      new Date('2026-11-21T00:00:00Z'),
    );
    const outcomes = { pass: 'pass', fail: `fail, policy ${dmarc.policy}`, none: 'no DMARC record' };
    expect(outcomes[dmarc.result as keyof typeof outcomes]).toBe(expected.dmarc);
  });
});

corpusSuite('messages of the corpus', () => {
  const cases = filesOf('message').map((file) => [file.path, file] as const);

  test('include enough cases', () => expect(cases.length).toBeGreaterThan(20));

  test.each(cases)('%s', (path, { expected }) => {
    const message = corpusBytes(path);
    const section = readHeaderSection(message);
    const { messageId, dateStatus } = inspectHeaders(section, new Date('2026-11-21T00:00:00Z'));
    expect(messageId === null).toBe(!expected.message_id);
    expect(dateStatus === 'missing').toBe(!expected.date);
    if (expected.date) {
      expect(parseDate(expected.date)?.getTime()).toBe(Date.parse(expected.date.replace(/\(.*\)/, '')));
    }
    const domainsIn = (authors: readonly string[]) =>
      authors.map((author) =>
        author
          .replace(/>$/, '')
          .slice(author.lastIndexOf('@') + 1)
          .toLowerCase(),
      );
    expect(authorDomains(valuesOf(section, 'from')[0] ?? '')).toEqual(domainsIn(expected.from));
    expect(valuesOf(section, 'received')).toHaveLength(expected.received_count);
    expect(valuesOf(section, 'authentication-results')).toHaveLength(expected.authentication_results_count);
    expect(valuesOf(section, 'arc-seal')).toHaveLength(expected.arc_sets);
    expect(valuesOf(section, 'dkim-signature')).toHaveLength(expected.dkim_signatures);
    expect(valuesOf(section, 'list-unsubscribe').length > 0).toBe(expected.list_unsubscribe);
    const { subject } = describeMessage(message, section);
    expect(subject?.replace(/\s+/g, ' ') ?? null).toBe(expected.subject?.replace(/\s+/g, ' ') ?? null);
  });
});
