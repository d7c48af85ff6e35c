/** A real Dovecot on loopback with mailboxes in its own folder, and a client of their owners. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImapFlow } from 'imapflow';
import { freePort } from './free-port.ts';

export interface Dovecot {
  /** The loopback port with STARTTLS. */
  readonly port: number;
  /** The loopback port with TLS from the start. */
  readonly tlsPort: number;
  /** Puts mails into the inbox of a user at once, without a session. */
  fill(user: string, mails: Iterable<string>): void;
  /** Ends all sessions. */
  dropSessions(): void;
  stop(): Promise<void>;
}

interface DovecotOptions {
  /** Names of users with their passwords. */
  readonly users: Readonly<Record<string, string>>;
  /** The key (PEM, RSA) of the authorization server whose access tokens it accepts: JWTs of RS256 with the user as `sub`. */
  readonly tokenKey?: string;
  /** PEM. */
  readonly certificate: { readonly cert: string; readonly key: string };
  /** Between the parts of the name of a folder; by default `/`. */
  readonly separator?: string;
  /** What the server offers instead of everything that it can. */
  readonly capability?: string;
  /** It stops after this time, however the test run ends. */
  readonly lifetimeSeconds?: number;
}

const PROGRAM = '/usr/sbin/dovecot';
const MAIL_USER = 'dovecot';
const WAIT_MILLISECONDS = 20_000;
const ATTEMPTS = 3;
const LIFETIME_SECONDS = 300;

/** Why Dovecot cannot run on this machine; undefined if it can. */
export function missingForDovecot(): string | undefined {
  if (!existsSync(PROGRAM)) return 'no dovecot';
  return process.getuid?.() === 0 ? undefined : 'Dovecot needs root';
}

/** Starts it, on other ports if one was taken in the meantime. */
export async function startDovecot(options: DovecotOptions): Promise<Dovecot> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(options);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function start(options: DovecotOptions): Promise<Dovecot> {
  const folder = mkdtempSync(join(tmpdir(), 'dovecot-'));
  // Its programs run as other users.
  chmodSync(folder, 0o755);
  const [port, tlsPort] = [await freePort(), await freePort()];
  const config = configure(folder, { ...options, port, tlsPort });
  const lifetime = String(options.lifetimeSeconds ?? LIFETIME_SECONDS);
  const server = spawn('timeout', [lifetime, PROGRAM, '-F', '-c', config], { stdio: 'ignore' });
  const stop = async () => {
    await end(server);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  try {
    const started = Date.now();
    const [[user, password] = ['', '']] = Object.entries(options.users);
    while (!(await accepts(tlsPort, user, password))) {
      if (Date.now() - started > WAIT_MILLISECONDS || hasEnded(server))
        throw new Error(`Dovecot does not start: ${logOf(folder)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    port,
    tlsPort,
    fill(user, mails) {
      const home = join(folder, 'mail', user);
      for (const part of ['cur', 'new', 'tmp']) mkdirSync(join(home, 'Maildir', part), { recursive: true });
      let n = 0;
      for (const mail of mails) {
        n += 1;
        writeFileSync(join(home, 'Maildir', 'new', `${Math.floor(Date.now() / 1000)}.M${n}.test`), mail);
      }
      execFileSync('chown', ['-R', `${MAIL_USER}:${MAIL_USER}`, home]);
    },
    dropSessions() {
      for (const name of Object.keys(options.users)) spawnSync('doveadm', ['-c', config, 'kick', name]);
    },
    stop,
  };
}

function configure(folder: string, options: DovecotOptions & { port: number; tlsPort: number }): string {
  const { users, certificate, separator = '/', capability, tokenKey, port, tlsPort } = options;
  const file = (name: string, lines: readonly string[], mode = 0o644) => {
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`, { mode });
    return join(folder, name);
  };
  /** Keys are in files by the client, the algorithm and the ID of the key; tokens of the tests name none. */
  const tokenSettings = (key: string): string[] => {
    const keys = join(folder, 'keys', 'default', 'RS256');
    mkdirSync(keys, { recursive: true });
    file(join('keys', 'default', 'RS256', 'default'), [key]);
    const settings = file('oauth2.conf', [
      'introspection_mode = local',
      `local_validation_key_dict = fs:posix:prefix=${join(folder, 'keys')}/`,
      'username_attribute = sub',
    ]);
    return [`passdb {\n driver = oauth2\n mechanisms = xoauth2 oauthbearer\n args = ${settings}\n}`];
  };
  const mail = join(folder, 'mail');
  mkdirSync(mail);
  execFileSync('chown', [`${MAIL_USER}:${MAIL_USER}`, mail]);
  const passwords = Object.entries(users).map(([name, password]) => `${name}:{PLAIN}${password}`);
  return file('dovecot.conf', [
    `base_dir = ${join(folder, 'run')}`,
    `state_dir = ${join(folder, 'state')}`,
    `log_path = ${join(folder, 'log')}`,
    'protocols = imap',
    'listen = 127.0.0.1',
    'ssl = required',
    `ssl_cert = <${file('cert.pem', [certificate.cert])}`,
    `ssl_key = <${file('key.pem', [certificate.key], 0o600)}`,
    `auth_mechanisms = plain login${tokenKey === undefined ? '' : ' oauthbearer xoauth2'}`,
    ...(tokenKey === undefined ? [] : tokenSettings(tokenKey)),
    // A wrong password is a test here, and not an attack.
    'auth_failure_delay = 0',
    'service anvil {\n unix_listener anvil-auth-penalty {\n  mode = 0\n }\n}',
    `passdb {\n driver = passwd-file\n args = ${file('users', passwords)}\n}`,
    `userdb {\n driver = static\n args = uid=${MAIL_USER} gid=${MAIL_USER} home=${mail}/%u\n}`,
    'first_valid_uid = 1',
    'mail_location = maildir:~/Maildir',
    'mail_max_userip_connections = 100',
    `namespace inbox {\n inbox = yes\n separator = ${separator}\n}`,
    ...(capability === undefined ? [] : [`imap_capability = ${capability}`]),
    `service imap-login {\n inet_listener imap {\n  port = ${port}\n }\n inet_listener imaps {\n  port = ${tlsPort}\n  ssl = yes\n }\n}`,
  ]);
}

/** The client of the owner of a mailbox, who trusts any certificate. */
export async function ownerOf(
  { tlsPort }: Pick<Dovecot, 'tlsPort'>,
  user: string,
  pass: string,
): Promise<ImapFlow> {
  const client = new ImapFlow({
    ...{ host: '127.0.0.1', port: tlsPort, secure: true, auth: { user, pass } },
    ...{ tls: { rejectUnauthorized: false }, logger: false, disableAutoIdle: true },
    // Another server may have taken the port, and say nothing.
    ...{ connectionTimeout: 5_000, greetingTimeout: 5_000 },
  });
  client.on('error', () => {});
  await client.connect();
  return client;
}

function logOf(folder: string): string {
  const path = join(folder, 'log');
  return existsSync(path) ? readFileSync(path, 'utf8') : 'no log';
}

async function accepts(tlsPort: number, user: string, password: string): Promise<boolean> {
  try {
    await (await ownerOf({ tlsPort }, user, password)).logout();
    return true;
  } catch {
    return false;
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
