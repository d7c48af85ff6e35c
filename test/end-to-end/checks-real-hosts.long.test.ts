import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiAnswer, type ApiClient, apiClient } from '../kit/api-client.ts';
import { type Bind, missingForBind, startBind } from '../kit/bind.ts';
import { createAuthority, expired } from '../kit/certificates.ts';
import { describeWith } from '../kit/describe-with.ts';
import { type HttpsHost, startHttpsHost } from '../kit/https-host.ts';
import { register } from '../kit/register.ts';
import { type BootedService, bootService } from '../kit/service.ts';
import { type SmtpHost, startSmtpHost } from '../kit/smtp-host.ts';
import { useFolder } from '../kit/use.ts';

const zone = () => [
  '@ IN MX 10 mx',
  'mx IN A 192.0.2.10',
  'mta-sts IN A 192.0.2.20',
  '@ IN TXT "v=spf1 ip4:192.0.2.0/24 include:_spf.example.org. -all"',
  '_spf IN TXT "v=spf1 ip6:2001:db8::/32 -all"',
  '_dmarc IN TXT "v=DMARC1; p=quarantine; rua=mailto:dmarc@example.org"',
  '_mta-sts IN TXT "v=STSv1; id=20260101"',
  '_smtp._tls IN TXT "v=TLSRPTv1; rua=mailto:tls@example.org"',
];

const policy = 'version: STSv1\r\nmode: enforce\r\nmx: mx.example.org\r\nmax_age: 604800\r\n';

describeWith(missingForBind(), 'checks against BIND, SMTP and HTTPS hosts', () => {
  let bind: Bind;
  let mx: SmtpHost;
  let weakMx: SmtpHost;
  let silentMx: SmtpHost;
  let web: HttpsHost;
  let service: BootedService;
  let api: ApiClient;
  let id: string;
  const folder = useFolder('hosts');

  beforeAll(async () => {
    const authority = createAuthority();
    const caFile = join(folder, 'ca.pem');
    writeFileSync(caFile, authority.cert);
    [bind, mx, weakMx, silentMx, web] = await Promise.all([
      startBind(['example.org'], 1),
      startSmtpHost({ certificate: authority.issue(['mx.example.org']), rcptTo: '250 ok' }),
      startSmtpHost({
        certificate: authority.issue(['other.example.org'], expired),
        rcptTo: '550 no such user',
      }),
      startSmtpHost({ greeting: null }),
      startHttpsHost(authority.issue(['mta-sts.example.org']), {
        '/.well-known/mta-sts.txt': { headers: { 'content-type': 'text/plain' }, body: policy },
      }),
    ]);
    await bind.publish('example.org', zone());
    const dial = (from: string, to: { address: string; port: number }) => `${from}=${to.address}:${to.port}`;
    service = await bootService({
      DNS_SERVERS: bind.server,
      EXTRA_CA_FILE: caFile,
      DIAL_MAP: [
        dial('mx.example.org:25', mx),
        dial('192.0.2.10:25', mx),
        dial('weak.example.org:25', weakMx),
        dial('192.0.2.11:25', weakMx),
        dial('silent.example.org:25', silentMx),
        dial('192.0.2.12:25', silentMx),
        dial('mta-sts.example.org:443', web),
      ].join(','),
    });
    api = await apiClient(service);
    const receiving = { usageType: 'sends-and-receives', testEmailLocalPart: 'postmaster' };
    ({ id } = await register(api, 'example.org', receiving));
  });
  afterAll(async () => {
    await service?.remove();
    await Promise.all([bind?.stop(), mx?.stop(), weakMx?.stop(), silentMx?.stop(), web?.stop()]);
  });

  async function run(): Promise<ApiAnswer['body']> {
    const started = performance.now();
    const { status, body } = await api.call('POST', `/api/v1/domains/${id}/checks`);
    expect(status).toBe(200);
    // The gateway ends longer requests.
    expect(performance.now() - started).toBeLessThan(29_000);
    return body.data.results;
  }

  test('takes every fact about a healthy domain from a real dialogue', async () => {
    const results = await run();
    expect(results.mx).toMatchObject({
      records: [{ priority: 10, exchange: 'mx.example.org' }],
      hosts: [{ hostname: 'mx.example.org', ip: '192.0.2.10', tlsSupported: true, starttlsSupported: true }],
      tlsSupported: true,
      emailReceptionCapability: 'active',
    });
    expect(mx.commands.filter((command) => command.startsWith('RCPT'))).toEqual([
      'RCPT TO:<postmaster@example.org>',
    ]);
    expect(mx.commands).not.toContain('DATA');
    expect(results.spf).toMatchObject({
      valid: true,
      version: 'spf1',
      allPolicy: '-all',
      totalLookupCount: 1,
      flattenedIps: ['192.0.2.0/24', '2001:db8::/32'],
    });
    expect(results.dmarc).toMatchObject({
      policy: 'quarantine',
      rua: ['mailto:dmarc@example.org'],
      valid: true,
    });
    expect(results.mtaSts).toMatchObject({
      policyFetched: true,
      policyMode: 'enforce',
      policyMaxAge: 604800,
      valid: true,
    });
    expect(results.tlsRpt).toMatchObject({ valid: true, rua: ['mailto:tls@example.org'] });
  });

  test('fails the MX check for an expired certificate of another name, and reports that the mailbox is rejected', async () => {
    await serve('@ IN MX 10 weak', 'weak IN A 192.0.2.11');
    const { mx } = await run();
    expect(mx).toMatchObject({ tlsSupported: true, emailReceptionCapability: 'relay-denied' });
    expect(Date.parse(mx.hosts[0].certificateExpiry)).toBeLessThan(Date.now());
    expect(mx.state).toBe('fail');
  });

  test('reports unknown TLS support, not missing TLS, for a silent host', async () => {
    await serve('@ IN MX 10 silent', 'silent IN A 192.0.2.12');
    const { mx } = await run();
    expect(mx.hosts[0]).toMatchObject({
      tlsSupported: null,
      starttlsSupported: null,
      certificateExpiry: null,
    });
    expect(mx.emailReceptionCapability).not.toBe('active');
    expect(mx.findings.map(({ severity }: { severity: string }) => severity)).not.toContain('error');
  });

  test('shows a changed zone: a null MX, and no MX at all', async () => {
    await serve('@ IN MX 0 .');
    expect((await run()).mx.emailReceptionCapability).toBe('null-mx');
    await serve();
    expect((await run()).mx.emailReceptionCapability).toBe('no-mail');
  });

  /** Publishes the zone with other MX records, and waits until the cached responses have expired. */
  async function serve(...mxRecords: string[]): Promise<void> {
    await bind.publish('example.org', [...zone().filter((line) => !line.includes(' MX ')), ...mxRecords]);
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
});
