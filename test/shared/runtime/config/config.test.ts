import { describe, expect, test } from '@jest/globals';
import { ConfigError, environmentSchema, readEnvironment } from '../../../../shared/runtime/config/config.ts';

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

  test.each([
    ['192.0.2.1', [{ address: '192.0.2.1', port: 53 }]],
    [
      '192.0.2.1:5353, 192.0.2.2',
      [
        { address: '192.0.2.1', port: 5353 },
        { address: '192.0.2.2', port: 53 },
      ],
    ],
    ['2001:db8::1', [{ address: '2001:db8::1', port: 53 }]],
    ['[2001:db8::1]:5353', [{ address: '2001:db8::1', port: 5353 }]],
  ])('reads name servers from %s', (text, servers) => {
    expect(read({ DNS_SERVERS: text }).DNS_SERVERS).toEqual(servers);
  });

  test('reads the dial map', () => {
    const map = read({ DIAL_MAP: 'MX.good.test:25=127.0.0.1:2526,192.0.2.1:443=[::1]:8443' }).DIAL_MAP;
    expect([...map]).toEqual([
      ['mx.good.test:25', { address: '127.0.0.1', port: 2526 }],
      ['192.0.2.1:443', { address: '::1', port: 8443 }],
    ]);
  });

  test.each([
    ['DNS_SERVERS', 'ns1.example.org'],
    ['DNS_SERVERS', '192.0.2.1:99999'],
    ['DIAL_MAP', 'mx.example.org=127.0.0.1:25'],
    ['DIAL_MAP', 'mx.example.org:25=localhost:25'],
    ['BLOCKLISTS', 'friends=example.org'],
    ['DOMAIN_BLOCKLISTS', 'not a zone'],
    ['DNSSEC_TRUST_ANCHORS', 'nonsense'],
    ['HOST_URL', 'monitor.example.org'],
    ['HOST_URL', 'https://monitor.example.org/path'],
    ['REPORTS_DOMAIN', 'Reports Example'],
    ['SERVICE_LABEL', '_svc'],
    ['PRIVATE_ADDRESSES', 'maybe'],
    ['ALERT_SENDER', 'nobody'],
    ['ALERT_SENDER', 'Alerts <alerts@example.org>'],
    ['DOMAIN_LIMIT', '-1'],
    ['DOMAIN_LIMIT', '1e3'],
    ['DOMAIN_LIMIT', '1000001'],
    ['SCORE_THRESHOLD', '101'],
    ['API_RATE_PER_MINUTE', '60001'],
    ['TOOL_RATE_PER_MINUTE', '60001'],
    ['RETENTION_DAYS', '36501'],
    ['CHECK_INTERVAL_SECONDS', '0'],
    ['CHECK_INTERVAL_SECONDS', '31536001'],
    ['LOG_LEVEL', 'loud'],
  ])('rejects %s=%s with a one-line error that names the key', (key, value) => {
    expect(() => read({ [key]: value })).toThrow(ConfigError);
    expect(() => read({ [key]: value })).toThrow(new RegExp(`^${key} [^\\n]+$`));
  });

  test('names every invalid key', () => {
    expect(() => read({ DOMAIN_LIMIT: 'x', LOG_LEVEL: 'y' })).toThrow(/DOMAIN_LIMIT .*; LOG_LEVEL /);
  });
});
