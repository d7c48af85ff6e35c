import { describe, expect, test } from '@jest/globals';
import { MAX_DESTINATIONS, reportDestinations } from '../../../../shared/protocol/dmarc/external-reports.ts';
import { parseDmarcRecord } from '../../../../shared/protocol/dmarc/record.ts';
import { byLateAnswer, listed, type Named } from '../../../kit/answers.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

function record(tags: string) {
  const parsed = parseDmarcRecord(`v=DMARC1; p=none; ${tags}`);
  if (!parsed.ok) throw new Error(tags);
  return parsed.record;
}

async function statusOf(
  uri: string,
  literal: ZoneLiteral,
  organizationalDomain: string | null = 'example.org',
) {
  const all = { '_dmarc.example.org': { TXT: ['v=DMARC1; p=none'] }, ...literal };
  const [destination] = await reportDestinations(
    record(`rua=${uri}`),
    'example.org',
    organizationalDomain,
    zone(all),
  );
  return destination?.status;
}

const ELSEWHERE = 'mailto:a@reports.example.net';
const txt = (...TXT: string[]) => ({ TXT });
const CONSENT = 'example.org._report._dmarc.reports.example.net';

describe('a report destination (RFC 9990 section 4)', () => {
  test('has the recorded status', async () => {
    const cases: readonly Named<readonly [string, ZoneLiteral, (string | null)?]>[] = [
      ['the domain itself', ['mailto:a@example.org', {}]],
      ['a subdomain', ['mailto:a@mail.example.org', {}]],
      [
        'a subdomain that is its own organization',
        ['mailto:a@mail.example.org', { '_dmarc.mail.example.org': txt('v=DMARC1; p=none; psd=n') }],
      ],
      ['the organizational domain', ['mailto:a@example.net', {}, 'example.net']],
      ...listed(`v=DMARC1 | v=DMARC1; | p=none; v=DMARC1 | v=spf1 | v=DMARC1; rua=mailto:b@reports.example.net | v=DMARC1; rua=mailto:b@victim.example
        v=DMARC1; rua=mailto:b@reports.example.net,mailto:b@victim.example | v=DMARC1; rua=x`).map(
        (text): Named<readonly [string, ZoneLiteral]> => [text, [ELSEWHERE, { [CONSENT]: txt(text) }]],
      ),
      ['no consent', [ELSEWHERE, {}]],
      ['a wildcard', [ELSEWHERE, { '*._report._dmarc.reports.example.net': txt('v=DMARC1;') }]],
      ['beside other records', [ELSEWHERE, { [CONSENT]: txt('hello', 'v=DMARC1') }]],
      [
        'two, one of which leads elsewhere',
        [ELSEWHERE, { [CONSENT]: txt('v=DMARC1', 'v=DMARC1; rua=mailto:b@victim.example') }],
      ],
      ['a failed lookup', [ELSEWHERE, { [CONSENT]: 'TIMEOUT' }]],
      [
        'no consent, and a failed lookup of its organization',
        [ELSEWHERE, { '_dmarc.example.net': 'SERVFAIL' }],
      ],
      [
        'consent, and a failed lookup of its organization',
        [ELSEWHERE, { '_dmarc.example.net': 'SERVFAIL', [CONSENT]: txt('v=DMARC1') }],
      ],
      ['no consent, and our organization is unknown', [ELSEWHERE, {}, null]],
      ['consent, and our organization is unknown', [ELSEWHERE, { [CONSENT]: txt('v=DMARC1') }, null]],
      ['a name that is too long', [`mailto:a@${'a.'.repeat(110)}example.net`, {}]],
      ['no host', ['https://example.net/', {}]],
    ];
    expect(await byLateAnswer(cases, async (of) => String(await statusOf(...of)))).toMatchSnapshot();
  });

  test('is looked up once, however often it is named', async () => {
    const uris = record('rua=mailto:a@r.example,mailto:b@R.example; ruf=mailto:c@r.example');
    const destinations = await reportDestinations(uris, 'example.org', 'example.org', zone({}));
    expect(destinations).toMatchObject([{ host: 'r.example', tags: ['rua', 'ruf'] }]);
  });

  test('beyond the limit is not looked up', async () => {
    const uris = Array.from({ length: 500 }, (_, n) => `mailto:a@r${n}.example`).join(',');
    const destinations = await reportDestinations(
      record(`rua=${uris}`),
      'example.org',
      'example.org',
      zone({}),
    );
    expect(destinations).toHaveLength(MAX_DESTINATIONS);
  });
});
