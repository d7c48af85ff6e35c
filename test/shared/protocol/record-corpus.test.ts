import { expect, test } from '@jest/globals';
import { parseDkimKey } from '../../../shared/protocol/dkim/key.ts';
import { discoverPolicy } from '../../../shared/protocol/dmarc/discover.ts';
import { parseDmarcRecord } from '../../../shared/protocol/dmarc/record.ts';
import { hasErrors } from '../../../shared/protocol/findings/finding.ts';
import { corpusJson, corpusSuite, testVectors } from '../../kit/corpus.ts';
import { type ZoneNode, zone } from '../../kit/zone.ts';

corpusSuite('the public DMARC vectors', () => {
  testVectors('records/012-dmarc-record.json', (input) => {
    const parsed = parseDmarcRecord(input);
    return parsed.ok && !hasErrors(parsed.findings);
  });
});

corpusSuite('the public DKIM key vectors', () => {
  testVectors('records/011-dkim-key.json', (input) => {
    const { key, findings } = parseDkimKey(input, 'sel');
    return key.p !== '' && !hasErrors(findings);
  });
});

corpusSuite('DMARC records quoted in public', () => {
  test('are parsed tag by tag', () => {
    const { cases } = corpusJson('records/003-real-dmarc.json');
    expect(cases.length).toBeGreaterThan(100);
    for (const { record, tags, tag_problems } of cases) {
      const parsed = parseDmarcRecord(record);
      if (!parsed.ok) {
        expect(tags.v ?? tags.V).not.toBe('DMARC1');
        continue;
      }
      const read = Object.fromEntries(parsed.record.tags.map(({ name, value }) => [name, value]));
      // For duplicate tags the corpus expects the last one, and we use the first.
      if (tag_problems.length === 0) expect(tags).toMatchObject(read);
      else expect(Object.keys(tags)).toEqual(expect.arrayContaining(Object.keys(read)));
    }
  });
});

corpusSuite('messages of the corpus with a valid signature', () => {
  interface Message {
    readonly id: string;
    readonly kind: string;
    readonly expected: { readonly any_signature_passes?: boolean | null };
    readonly dns: Readonly<Record<string, unknown>>;
  }
  const verifies = ({ kind, expected }: Message) => kind === 'dkim' && expected.any_signature_passes === true;
  for (const { id, dns } of corpusJson('manifest.json').files.filter(verifies)) {
    test(`${id} has a key that verifiers can use`, () => {
      const texts = Object.values(dns).filter((text) => typeof text === 'string');
      expect(texts.some((text) => !hasErrors(parseDkimKey(text, 'sel').findings))).toBe(true);
    });
  }
});

/**
 * What discovery finds for the From domain of each evaluation by RFC 9989: no `pct`, and organizational domains by the
 * tree walk.
 */
const discovered: Readonly<
  Record<string, readonly [from: string, recordDomain: string | undefined, policy?: string]>
> = {
  'S-dmarc-eval-001': ['yo.mom.za.org', 'yo.mom.za.org', 'reject'],
  'S-dmarc-eval-002': ['quarantine.cacophony.za.org', 'quarantine.cacophony.za.org', 'quarantine'],
  'S-dmarc-eval-003': ['my.mom.za.org', 'my.mom.za.org', 'reject'],
  'S-dmarc-eval-004': ['foo.cacophony.za.org', 'cacophony.za.org', 'reject'],
  'S-dmarc-eval-005': ['yo.mom.za.org', 'yo.mom.za.org', 'reject'],
  'S-dmarc-eval-006': ['zero_pct.com', 'zero_pct.com', 'reject'],
  'S-dmarc-eval-007': ['yo.mom.za.org', 'yo.mom.za.org', 'reject'],
  'S-dmarc-eval-008': ['example.com', undefined],
};

corpusSuite('the zones of public DMARC evaluations', () => {
  for (const { id, dns } of corpusJson('manifest.json').files.filter(
    ({ kind }: { kind: string }) => kind === 'dmarc-eval',
  )) {
    const [from = '', recordDomain, policy] = discovered[id] ?? [];
    test(`${id}: the record of ${recordDomain ?? 'no domain'} applies to ${from}`, async () => {
      const literal: Record<string, ZoneNode> = {};
      for (const [name, types] of Object.entries<{ TXT?: string[] | null }>(dns))
        literal[name] = { TXT: types.TXT ?? [] };
      const discovery = await discoverPolicy(from, zone(literal));
      const expected = { status: 'found', recordDomain, policy };
      expect(discovery).toMatchObject(recordDomain === undefined ? { status: 'absent' } : expected);
    });
  }
});
