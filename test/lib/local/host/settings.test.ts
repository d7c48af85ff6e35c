import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readSettings } from '../../../../lib/local/host/settings.ts';
import { ConfigError } from '../../../../shared/runtime/config/config.ts';
import { useFolder } from '../../../kit/use.ts';

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

test('a certificate needs its key, and a relay a sender', () => {
  expect(() => readSettings({ TLS_CERT_FILE: 'cert.pem' })).toThrow(
    'TLS_CERT_FILE and TLS_KEY_FILE need each other',
  );
  expect(() => readSettings({ SMTP_RELAY: 'smtp://relay.example' })).toThrow(/SMTP_RELAY needs ALERT_SENDER/);
});

describe('a secret in a file', () => {
  const folder = useFolder('secrets');
  const path = join(folder, 'secret');

  test('is read without the line break at its end', () => {
    writeFileSync(path, 'token-0123456789abcdef\n');
    expect(readSettings({ API_TOKEN_FILE: path, METRICS_TOKEN_FILE: path })).toMatchObject({
      API_TOKEN: 'token-0123456789abcdef',
      METRICS_TOKEN: 'token-0123456789abcdef',
    });
    writeFileSync(path, 'smtps://user:password@relay.example\n');
    const relay = readSettings({ SMTP_RELAY_FILE: path, ALERT_SENDER: 'a@example.org' }).SMTP_RELAY;
    expect(relay).toMatchObject({ host: 'relay.example', signIn: { user: 'user', password: 'password' } });
  });

  test('is refused beside the same one in the environment, if it cannot be read, and if it is invalid', () => {
    const given = { API_TOKEN: 'token-0123456789abcdef', API_TOKEN_FILE: path };
    expect(() => readSettings(given)).toThrow('API_TOKEN and API_TOKEN_FILE are both set');
    expect(() => readSettings({ API_TOKEN_FILE: join(folder, 'none') })).toThrow(
      /^API_TOKEN_FILE cannot be read: ENOENT/,
    );
    writeFileSync(path, 'short');
    expect(() => readSettings({ API_TOKEN_FILE: path })).toThrow(/^API_TOKEN must have/);
  });
});
