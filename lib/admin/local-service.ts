/** The service that runs on this machine, as a client of its own API and SMTP listener. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PUBLISH_PATH } from '../local/example-internet/publish-endpoint.ts';
import { readAddresses } from '../local/host/addresses.ts';
import { TOKEN_FILE } from '../local/host/data-files.ts';
import { startCommand } from '../local/host/release.ts';
import type { Settings } from '../local/host/settings.ts';
import { CommandError } from '../terminal/command-line.ts';
import { type Client, client, Unexpected } from './smoke/client.ts';
import type { MailServer } from './smoke/send-message.ts';

export interface LocalService {
  readonly api: Client;
  /** The API token of the default organization. */
  readonly token: string;
  readonly smtp: MailServer;
  /** Whether mail leaves this machine. */
  readonly sendsMail: boolean;
  /** Publishes a TXT record in the example internet. */
  publish(name: string, value: string): Promise<void>;
}

/** @throws CommandError if no service uses the data folder, or if its token is in neither the folder nor `API_TOKEN`. */
export function localService({
  DATA_DIR,
  API_TOKEN,
}: Pick<Settings, 'DATA_DIR' | 'API_TOKEN'>): LocalService {
  const { http, smtp, mail } = runningAt(DATA_DIR);
  const host = http.host.includes(':') ? `[${http.host}]` : http.host;
  const token = API_TOKEN || readToken(DATA_DIR);
  const api = client(`http://${host}:${http.port}`, token);
  return {
    api,
    token,
    smtp,
    sendsMail: mail.MAIL_TRANSPORT !== 'outbox',
    async publish(name, value) {
      await api.request('POST', PUBLISH_PATH, 200, { json: { name, type: 'TXT', value }, token: null });
    },
  };
}

/** The address of the service on this machine. @throws CommandError if no service uses the data folder. */
export function localUrl({ DATA_DIR }: Pick<Settings, 'DATA_DIR'>): string {
  return `http://localhost:${runningAt(DATA_DIR).http.port}`;
}

/** @throws CommandError if no service uses the data folder. */
function runningAt(folder: string) {
  const addresses = readAddresses(folder);
  if (addresses !== undefined) return addresses;
  throw new CommandError(
    `no service is running in DATA_DIR ${resolve(folder)}: start it with "${startCommand()}"`,
  );
}

function readToken(folder: string): string {
  const file = join(folder, TOKEN_FILE);
  if (!existsSync(file)) throw new CommandError('the API token of the service is unknown: set API_TOKEN');
  return readFileSync(file, 'utf8').trim();
}

/** Runs requests to the service. @throws CommandError with the reason if a response is not as expected. */
export async function asking<T>(requests: () => Promise<T>): Promise<T> {
  try {
    return await requests();
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
    throw new CommandError(`the service did not do what was asked: ${error.message}`);
  }
}
