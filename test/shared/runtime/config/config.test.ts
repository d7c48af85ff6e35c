import { describe, expect, test } from '@jest/globals';
import {
  type Config,
  ConfigError,
  environmentSchema,
  ownDomains,
  readEnvironment,
  reportsDomains,
  testerDomains,
} from '../../../../shared/runtime/config/config.ts';
import { listed } from '../../../kit/recorded-lines.ts';

/** What is read of a value, or what is wrong with it. */
function shown(key: string, value: string): string {
  try {
    const result = read({ [key]: value })[key as keyof Config];
    return JSON.stringify(result instanceof Map ? [...result] : result) ?? '';
  } catch (error) {
    return (error as Error).message;
  }
}

const read = (environment: Record<string, string>) => readEnvironment(environmentSchema, environment);

describe('the configuration from the environment', () => {
  test('has a default for every key', () => {
    const config = read({});
    expect(config.HOST_URL).toBe('http://localhost:3000');
    expect(config.DOMAIN_LIMIT).toBe(100);
    expect(config.DNS_SERVERS).toEqual([]);
    expect(config.DNSSEC_TRUST_ANCHORS.map(({ ds }) => ds.keyTag)).toEqual([20326, 38696]);
    expect(config.BLOCKLISTS.get('combined')).toBe('zen.spamhaus.org');
    expect(config.DOMAIN_BLOCKLISTS).toEqual(['dbl.spamhaus.org']);
  });

  test('treats an empty value as unset', () => {
    expect(read({ API_RATE_PER_MINUTE: '' }).API_RATE_PER_MINUTE).toBe(600);
  });

  test('reads each key at its limits', () => {
    const numbers = [
      ...(['CHECK_INTERVAL_SECONDS', 'DOMAIN_LIMIT', 'SCORE_THRESHOLD', 'API_RATE_PER_MINUTE'] as const),
      ...(['TOOL_RATE_PER_MINUTE', 'RETENTION_DAYS'] as const),
    ].flatMap((key) => {
      // The problem says the limits.
      const [, least = 0, most = 0] = /from (\d+) to (\d+)/.exec(shown(key, '-1'))?.map(Number) ?? [];
      return [least - 1, least, most, most + 1, '1e2', ' 5', '0000000005', '000000005'].map(
        (value) => [key, String(value)] as const,
      );
    });
    const label = 'a'.repeat(20);
    const texts = {
      DNS_SERVERS: [
        '192.0.2.1',
        '192.0.2.1:5353, ,192.0.2.2',
        '2001:db8::1',
        '[2001:db8::1]:53',
        '[192.0.2.1]:5',
      ],
      DIAL_MAP: ['MX.a.test:25=127.0.0.1:2526,192.0.2.1:443=[::1]:8443', 'a:1=[b]:2', 'a:65535=::1:1', 'a:1'],
      IP_DATA: [' /a , /b,'],
      BLOCKLISTS: ['combined=Zen.test', 'combined=', 'combined=-a', 'toString=a', 'combined'],
      DOMAIN_BLOCKLISTS: ['A.test,b', 'a_b'],
      HOST_URL: ['http://a', 'https://a:8443', 'https://a/', 'https://a?b', 'https://[a', 'ftp://a'],
      REPORTS_DOMAIN: ['a.test', 'A.test', 'a..test'],
      SERVICE_LABEL: [label, `${label}a`, '1a', 'a-b'],
      OIDC_ISSUER: ['https://a/b', 'http://a', 'https://a?b', 'https://[a'],
      ALERT_SENDER: [`${'a'.repeat(64)}@b.test`, `${'a'.repeat(65)}@b.test`, 'a@B.test'],
      SECURITY_CONTACT: ['mailto:a@b', 'https://a', 'a@b', 'mailto:a@b@c'],
      RDAP_BOOTSTRAP: ['off', 'https://a', 'http://a', 'https://[a', 'on'],
    };
    const others = Object.entries(texts).flatMap(([key, values]) =>
      values.map((value) => [key, value] as const),
    );
    const lines = [...numbers, ...others].map(([key, value]) => `${key}=${value}: ${shown(key, value)}`);
    expect(listed(lines)).toMatchSnapshot();
    const ports = [
      '192.0.2.1:65535',
      '192.0.2.1:65536',
      '192.0.2.1:',
      '192.0.2.1:123456',
      'localhost:53',
      '[::1]',
      '::1]:5',
    ];
    expect(listed(ports.map((one) => `${one}: ${shown('DNS_SERVERS', one)}`))).toMatchSnapshot();
  });

  test('tells which domains are its own', () => {
    const environment = {
      REPORTS_DOMAIN: 'r.test',
      FORMER_TESTER_DOMAINS: 'old.test',
      TESTER_DOMAIN: 't.test',
    };
    const config = read(environment);
    expect([ownDomains(config), reportsDomains(config), testerDomains(config)]).toEqual([
      ...[['r.test', 't.test', 'old.test'], ['r.test'], ['t.test', 'old.test']],
    ]);
  });

  test.each([
    ['BLOCKLISTS', 'friends=example.org'],
    ['DNSSEC_TRUST_ANCHORS', 'nonsense'],
    ['SERVICE_LABEL', '_svc'],
    ['PRIVATE_ADDRESSES', 'maybe'],
    ['ALERT_SENDER', 'Alerts <alerts@example.org>'],
    ['DOMAIN_LIMIT', '-1'],
    ['LOG_LEVEL', 'loud'],
  ])('rejects %s=%s with a one-line error that names the key', (key, value) => {
    expect(() => read({ [key]: value })).toThrow(ConfigError);
    expect(() => read({ [key]: value })).toThrow(new RegExp(`^${key} [^\\n]+$`));
  });

  test('names every invalid key', () => {
    expect(() => read({ DOMAIN_LIMIT: 'x', LOG_LEVEL: 'y' })).toThrow(/DOMAIN_LIMIT .*; LOG_LEVEL /);
  });
});
