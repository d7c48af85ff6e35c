/** Where to report vulnerabilities (RFC 9116). */
import { afterEach, expect, test } from '@jest/globals';
import { type BootedService, bootService } from '../kit/service.ts';

let service: BootedService | undefined;
afterEach(() => service?.remove());

const DAY = 86_400_000;

test('security.txt contains the contact that is set, for less than a year', async () => {
  service = await bootService({ SECURITY_CONTACT: 'mailto:security@example.org' });
  const address = `${service.url}/.well-known/security.txt`;
  const response = await fetch(address);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const text = await response.text();
  const fields = new Map(
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/: (.*)/, 2) as [string, string]),
  );
  expect([...fields.keys()]).toEqual(['Contact', 'Expires', 'Preferred-Languages', 'Canonical']);
  expect(fields.get('Contact')).toBe('mailto:security@example.org');
  expect(fields.get('Canonical')).toBe(address);
  const validFor = Date.parse(fields.get('Expires') ?? '') - Date.now();
  expect(validFor).toBeGreaterThan(178 * DAY);
  expect(validFor).toBeLessThanOrEqual(180 * DAY);

  const again = await fetch(address, { headers: { 'If-None-Match': response.headers.get('etag') ?? '' } });
  expect(again.status).toBe(304);
});
