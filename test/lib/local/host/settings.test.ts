import { expect, test } from '@jest/globals';
import { readSettings } from '../../../../lib/local/host/settings.ts';
import { ConfigError } from '../../../../shared/runtime/config/config.ts';

test.each([
  ['PORT', 'http'],
  ['PORT', '-1'],
  ['PORT', '65536'],
  ['SMTP_PORT', '65536'],
  ['DNS_SERVERS', 'dns.example.org'],
  ['HOST_URL', 'monitor'],
  ['HOST_URL', 'http://[monitor'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['API_TOKEN', 'short'],
])('%s=%s is rejected in one line that names the setting', (key, value) => {
  const reading = () => readSettings({ [key]: value });
  expect(reading).toThrow(ConfigError);
  expect(reading).toThrow(new RegExp(`^[^\\n]*\\b${key}\\b[^\\n]*$`));
});

test('reports and test messages cannot share a domain', () => {
  const shared = { REPORTS_DOMAIN: 'a.example', TESTER_DOMAIN: 'a.example' };
  expect(() => readSettings(shared)).toThrow(ConfigError);
  expect(() => readSettings(shared)).toThrow('REPORTS_DOMAIN and TESTER_DOMAIN must be different');
});
