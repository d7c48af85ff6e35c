/** A real Postfix on loopback that passes mail on, perhaps signed by a real opendkim; both use their own folders. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

export interface Postfix {
  /** The loopback port on which it accepts mail, with STARTTLS. */
  readonly port: number;
  /** The loopback port with TLS from the start. */
  readonly tlsPort: number;
  stop(): Promise<void>;
}

interface PostfixOptions {
  /** Its own host name. */
  readonly hostname: string;
  /** The loopback port that it relays to. */
  readonly relayPort: number;
  /** PEM. */
  readonly certificate: { readonly cert: string; readonly key: string };
  readonly dkim?: { readonly domain: string; readonly selector: string; readonly privateKey: string };
  /** Accepts mail over TLS only, and of this user only. */
  readonly submission?: {
    readonly user: string;
    readonly password: string;
    /** Replies to recipients other than acceptance, such as `452 4.2.2 full`. */
    readonly refused: Readonly<Record<string, string>>;
  };
}

const WAIT_MILLISECONDS = 20_000;
const ATTEMPTS = 3;
/** Postfix stops after this time, however the test run ends. */
const LIFETIME_SECONDS = 300;

const PROGRAMS = ['/usr/sbin/postfix', '/usr/sbin/postconf'];
export const OPENDKIM = '/usr/sbin/opendkim';
export const SASL = '/usr/sbin/saslpasswd2';

/** Why Postfix, with these other programs, cannot run on this machine; undefined if it can. */
export function missingForPostfix(...others: readonly string[]): string | undefined {
  const missing = [...PROGRAMS, ...others].find((program) => !existsSync(program));
  if (missing !== undefined) return `no ${missing.slice(missing.lastIndexOf('/') + 1)}`;
  return process.getuid?.() === 0 ? undefined : 'Postfix needs root';
}

/** Starts both, on another port if the first one was taken in the meantime. */
export async function startPostfix(options: PostfixOptions): Promise<Postfix> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(options);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function start(options: PostfixOptions): Promise<Postfix> {
  const folder = mkdtempSync(join(tmpdir(), 'postfix-'));
  // Its programs run as another user.
  chmodSync(folder, 0o755);
  const started: ChildProcess[] = [];
  const stop = async () => {
    for (const child of started.toReversed()) await end(child);
    // The last processes may still be exiting.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  try {
    const [port, tlsPort] = [await freePort(), await freePort()];
    const socket = join(folder, 'opendkim.sock');
    configure(folder, { ...options, port, tlsPort, socket });
    if (options.dkim !== undefined) {
      started.push(spawn(OPENDKIM, ['-f', '-x', join(folder, 'opendkim.conf')], { stdio: 'ignore' }));
      await until('opendkim is up', async () => existsSync(socket), started);
    }
    const config = join(folder, 'config');
    // Creates the queue folders.
    execFileSync('/usr/sbin/postfix', ['-c', config, 'check'], {
      stdio: 'ignore',
      timeout: WAIT_MILLISECONDS,
    });
    const programs = execFileSync('/usr/sbin/postconf', ['-c', config, '-h', 'daemon_directory'], {
      encoding: 'utf8',
      timeout: WAIT_MILLISECONDS,
    });
    const master = [
      join(programs.trim(), 'master'),
      '-c',
      config,
      '-d',
      '-e',
      String(LIFETIME_SECONDS),
    ] as const;
    // Runs in its own process group, all of which is stopped together.
    started.push(spawn(master[0], master.slice(1), { stdio: 'ignore', detached: true }));
    await until('Postfix is up', () => greets(port), started);
    return { port, tlsPort, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function configure(
  folder: string,
  options: PostfixOptions & { port: number; tlsPort: number; socket: string },
): void {
  const { hostname, relayPort, certificate, dkim, submission, port, tlsPort, socket } = options;
  const file = (name: string, lines: readonly string[]) => {
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`, {
      mode: name.endsWith('.pem') ? 0o600 : 0o644,
    });
    return join(folder, name);
  };
  const folderOf = (name: string) => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  };
  folderOf('config');
  const data = folderOf('data');
  execFileSync('chown', ['postfix', data]);
  if (dkim !== undefined)
    file('opendkim.conf', [
      `Socket local:${socket}`,
      'UMask 000',
      `Domain ${dkim.domain}`,
      `Selector ${dkim.selector}`,
      `KeyFile ${file('dkim.pem', [dkim.privateKey])}`,
      // The folder is inside a world-writable one.
      'RequireSafeKeys no',
      'Mode s',
      'Canonicalization relaxed/simple',
      'Syslog no',
    ]);
  file('config/main.cf', [
    'compatibility_level = 3.6',
    `queue_directory = ${folderOf('queue')}`,
    `data_directory = ${data}`,
    `maillog_file = /dev/stdout`,
    `myhostname = ${hostname}`,
    'mydestination =',
    'alias_maps =',
    'alias_database =',
    'inet_interfaces = 127.0.0.1',
    'inet_protocols = ipv4',
    'mynetworks = 127.0.0.0/8',
    'smtpd_peername_lookup = no',
    `smtpd_tls_security_level = ${submission === undefined ? 'may' : 'encrypt'}`,
    `smtpd_tls_cert_file = ${file('cert.pem', [certificate.cert])}`,
    `smtpd_tls_key_file = ${file('key.pem', [certificate.key])}`,
    'smtpd_tls_received_header = yes',
    ...(dkim === undefined ? [] : [`smtpd_milters = unix:${socket}`, 'milter_default_action = tempfail']),
    ...(submission === undefined ? [] : submissionSettings()),
    `relayhost = [127.0.0.1]:${relayPort}`,
    'smtp_dns_support_level = disabled',
  ]);
  // Service, type, private, unprivileged, chroot, wake-up, processes, program.
  file('config/master.cf', [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    `127.0.0.1:${tlsPort} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes`,
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'tlsmgr unix - - n 1000? 1 tlsmgr',
    'rewrite unix - - n - - trivial-rewrite',
    ...['bounce', 'defer', 'trace'].map((name) => `${name} unix - - n - 0 bounce`),
    ...['error', 'retry'].map((name) => `${name} unix - - n - - error`),
    'smtp unix - - n - - smtp',
    'anvil unix - - n - 1 anvil',
    'proxymap unix - - n - - proxymap',
    'postlog unix-dgram n - n - 1 postlogd',
  ]);

  /** Passwords are in a file of Cyrus SASL. */
  function submissionSettings(): string[] {
    const { user = '', password = '', refused = {} } = submission ?? {};
    const users = join(folder, 'users');
    const args = ['-p', '-c', '-f', users, '-u', hostname, user];
    execFileSync(SASL, args, { input: password, stdio: ['pipe', 'ignore', 'ignore'] });
    execFileSync('chown', ['postfix', users]);
    // Debian's Postfix looks here.
    folderOf('config/sasl');
    file('config/sasl/smtpd.conf', [
      'pwcheck_method: auxprop',
      'auxprop_plugin: sasldb',
      `sasldb_path: ${users}`,
      'mech_list: PLAIN LOGIN',
    ]);
    const replies = Object.entries(refused).map(([address, reply]) => `{ ${address} = ${reply} }`);
    return [
      'smtpd_sasl_auth_enable = yes',
      `smtpd_sasl_local_domain = ${hostname}`,
      'smtpd_relay_restrictions = permit_sasl_authenticated, reject',
      `smtpd_recipient_restrictions = check_recipient_access inline:{${replies.join(', ')}}, permit_sasl_authenticated, reject`,
    ];
  }
}

async function until(
  what: string,
  isSo: () => Promise<boolean>,
  needed: readonly ChildProcess[],
): Promise<void> {
  const end = Date.now() + WAIT_MILLISECONDS;
  while (!(await isSo())) {
    if (Date.now() > end || needed.some(hasEnded)) throw new Error(`failed while waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const done = (isUp: boolean) => {
      socket.destroy();
      resolve(isUp);
    };
    socket.setTimeout(WAIT_MILLISECONDS, () => done(false));
    socket.once('error', () => done(false));
    socket.once('close', () => done(false));
    socket.once('data', (greeting) => done(greeting.toString('latin1').startsWith('220')));
  });
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), WAIT_MILLISECONDS);
  await closed;
  clearTimeout(late);
}
