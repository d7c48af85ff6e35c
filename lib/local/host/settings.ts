/** The settings of the local host: those of the service, and those that only this host has. */
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import {
  ConfigError,
  environmentSchema,
  list,
  readEnvironment,
  wholeNumber,
} from '../../../shared/runtime/config/config.ts';
import { parseNetworks } from '../../../shared/runtime/config/config-lists.ts';
import { parseRelay } from '../stores/outbox/relay-setting.ts';

const MAX_PORT = 65_535;

/** Fits into an Authorization header (RFC 6750 section 2.1). */
const token = z
  .string()
  .check(z.regex(/^[\w~+/.-]{16,200}=*$/, 'must have 16 to 200 characters: letters, digits, and ._~+/-'));

const settingsSchema = z.extend(environmentSchema, {
  /** 0 selects any free port. */
  PORT: wholeNumber(3000, 0, MAX_PORT),
  /** The port of the SMTP listener; 0 selects any free port. */
  SMTP_PORT: wholeNumber(2525, 0, MAX_PORT),
  /** The certificate for STARTTLS and HTTPS (PEM, with intermediates), and its key. */
  TLS_CERT_FILE: z._default(z.string(), ''),
  TLS_KEY_FILE: z._default(z.string(), ''),
  /** 0 selects any free port. */
  HTTPS_PORT: wholeNumber(3443, 0, MAX_PORT),
  /** The address that the gateway and the SMTP listener bind to. The default is loopback. */
  LISTEN_ADDRESS: z._default(z.string(), '127.0.0.1'),
  /** The networks of the proxies whose X-Forwarded-For counts. */
  TRUSTED_PROXIES: list(parseNetworks, ''),
  /** Where mail leaves; undefined keeps it in the data folder. */
  SMTP_RELAY: list(parseRelay, ''),
  DATA_DIR: z._default(z.string(), '.data'),
  API_TOKEN: z._default(token, ''),
  /** With it, programs on other machines can read `/metrics`. */
  METRICS_TOKEN: z._default(token, ''),
});

export type Settings = z.output<typeof settingsSchema>;

/** Settings that can also be in a file, which `<setting>_FILE` names: other users can see the environment of a process. */
const SECRETS = [
  'API_TOKEN',
  'METRICS_TOKEN',
  'SMTP_RELAY',
  'OIDC_CLIENT_SECRET',
] as const satisfies readonly (keyof Settings)[];

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigError that names every invalid key, or two keys that contradict each other. */
export function readSettings(environment: Environment): Settings {
  const settings = readEnvironment(settingsSchema, { ...environment, ...secretsIn(environment) });
  if (settings.REPORTS_DOMAIN === settings.TESTER_DOMAIN)
    throw new ConfigError('REPORTS_DOMAIN and TESTER_DOMAIN must be different');
  if ((settings.TLS_CERT_FILE === '') !== (settings.TLS_KEY_FILE === ''))
    throw new ConfigError('TLS_CERT_FILE and TLS_KEY_FILE need each other');
  if (settings.SMTP_RELAY !== undefined && settings.ALERT_SENDER === '')
    throw new ConfigError('SMTP_RELAY needs ALERT_SENDER: the address from which the relay lets you send');
  if ((settings.OIDC_ISSUER === '') !== (settings.OIDC_CLIENT_ID === ''))
    throw new ConfigError('OIDC_ISSUER and OIDC_CLIENT_ID need each other');
  return settings;
}

/** The secrets in files. @throws ConfigError */
function secretsIn(environment: Environment): Environment {
  return Object.fromEntries(
    SECRETS.flatMap((key) => {
      const path = environment[`${key}_FILE`];
      if (!path) return [];
      if (environment[key]) throw new ConfigError(`${key} and ${key}_FILE are both set`);
      try {
        return [[key, readFileSync(path, 'utf8').trim()]];
      } catch (error) {
        throw new ConfigError(`${key}_FILE cannot be read: ${(error as Error).message}`);
      }
    }),
  );
}
