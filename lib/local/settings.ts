/** The environment of the one-machine host: the service's own keys and those that only this host knows. */
import * as z from 'zod/mini';
import { ConfigError, environmentSchema, readEnvironment, wholeNumber } from '../../shared/runtime/config.ts';

const MAX_PORT = 65_535;

const settingsSchema = z.extend(environmentSchema, {
  /** 0 takes any free port. */
  PORT: wholeNumber(3000, 0, MAX_PORT),
  /** Where mail is received; 0 takes any free port. */
  SMTP_PORT: wholeNumber(2525, 0, MAX_PORT),
  /** The address that the gateway and the SMTP listener listen on; loopback unless told otherwise. */
  LISTEN_ADDRESS: z._default(z.string(), '127.0.0.1'),
  DATA_DIR: z._default(z.string(), '.data'),
  /** The folder of a synthesised assembly, whose bundles and templates are served in place of the sources. */
  CLOUD_ASSEMBLY: z._default(z.string(), ''),
  API_TOKEN: z._default(
    z.string().check(z.regex(/^[\w~+/.-]{16,200}=*$/, 'must be 16 to 200 letters, digits and ._~+/-')),
    '',
  ),
});

export type Settings = z.output<typeof settingsSchema>;

/** A deployment chooses these names: then a function that was not told them must find nothing by their defaults. */
const deployedNames = { TABLE_NAME: 'deployed-table', MAIL_BUCKET: 'deployed-mail' };

/** @throws ConfigError naming every key that is wrong, or two that do not go together. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const names = environment.CLOUD_ASSEMBLY ? deployedNames : {};
  const settings = readEnvironment(settingsSchema, { ...names, ...environment });
  if (settings.REPORTS_DOMAIN === settings.TESTER_DOMAIN)
    throw new ConfigError('REPORTS_DOMAIN and TESTER_DOMAIN must be different');
  return settings;
}
