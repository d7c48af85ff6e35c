import { describe, expect, test } from '@jest/globals';
import { MAX_DESTINATIONS, reportDestinations } from '../../../../shared/protocol/dmarc/external-reports.ts';
import { parseDmarcRecord } from '../../../../shared/protocol/dmarc/record.ts';
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

const CONSENT = 'example.org._report._dmarc.reports.example.net';

describe('a report destination (RFC 9990 section 4)', () => {
  test.each<[string, string, ZoneLiteral, string]>([
    ['at the domain itself needs no consent', 'mailto:a@example.org', {}, 'inside'],
    ['at a subdomain of the organization needs no consent', 'mailto:a@mail.example.org', {}, 'inside'],
    [
      'at a subdomain that is its own organization needs consent',
      'mailto:a@mail.example.org',
      { '_dmarc.mail.example.org': { TXT: ['v=DMARC1; p=none; psd=n'] } },
      'unauthorized',
    ],
    [
      'elsewhere, with consent',
      'mailto:a@reports.example.net',
      { [CONSENT]: { TXT: ['v=DMARC1'] } },
      'authorized',
    ],
    [
      'elsewhere, with a wildcard consent',
      'mailto:a@reports.example.net',
      { '*._report._dmarc.reports.example.net': { TXT: ['v=DMARC1;'] } },
      'authorized',
    ],
    [
      'elsewhere, with one consent among other records',
      'mailto:a@reports.example.net',
      { [CONSENT]: { TXT: ['hello', 'v=DMARC1'] } },
      'authorized',
    ],
    ['elsewhere, without consent', 'mailto:a@reports.example.net', {}, 'unauthorized'],
    [
      'elsewhere, with a record that does not start with the version',
      'mailto:a@reports.example.net',
      { [CONSENT]: { TXT: ['p=none; v=DMARC1'] } },
      'unauthorized',
    ],
    [
      'elsewhere, with an override at the same host',
      'mailto:a@reports.example.net',
      { [CONSENT]: { TXT: ['v=DMARC1; rua=mailto:b@reports.example.net'] } },
      'authorized',
    ],
    [
      'elsewhere, with an override at another host',
      'mailto:a@reports.example.net',
      { [CONSENT]: { TXT: ['v=DMARC1; rua=mailto:b@victim.example'] } },
      'foreign-override',
    ],
    ['elsewhere, with a failed lookup', 'mailto:a@reports.example.net', { [CONSENT]: 'TIMEOUT' }, 'unknown'],
    [
      'without consent, with a failed lookup of its organization',
      'mailto:a@reports.example.net',
      { '_dmarc.example.net': 'SERVFAIL' },
      'unknown',
    ],
    [
      'with consent, with a failed lookup of its organization',
      'mailto:a@reports.example.net',
      { '_dmarc.example.net': 'SERVFAIL', [CONSENT]: { TXT: ['v=DMARC1'] } },
      'authorized',
    ],
    [
      'with a consent name that exceeds the maximum length',
      `mailto:a@${'a.'.repeat(110)}example.net`,
      {},
      'unauthorized',
    ],
  ])('%s', async (_, uri, literal, status) => {
    expect(await statusOf(uri, literal)).toBe(status);
  });

  test('without consent is undecided if our own organization is unknown', async () => {
    expect(await statusOf('mailto:a@reports.example.net', {}, null)).toBe('unknown');
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
