/** Programs with which senders decide about DANE, asked about a host of a test. */
import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDialer } from '../../shared/network/dialer.ts';
import { createSmtp } from '../../shared/network/smtp-probe.ts';
import type { Dns } from '../../shared/protocol/dns.ts';
import { useFolder } from './use.ts';

const runs = (program: string, ...given: readonly string[]): boolean => {
  try {
    execFileSync(program, given, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

export const hasOpenssl = runs('openssl', 'version');

/** Whether OpenSSL, with which most senders decide, accepts the host at the port with these TLSA records. */
export async function opensslAccepts(
  port: number,
  host: string,
  values: readonly string[],
): Promise<boolean> {
  const run = promisify(execFile)(
    'openssl',
    [
      ...['s_client', '-starttls', 'smtp', '-connect', `127.0.0.1:${port}`, '-brief'],
      ...['-dane_tlsa_domain', host, '-dane_ee_no_namechecks', '-verify_return_error'],
      ...values.flatMap((value) => ['-dane_tlsa_rrdata', value]),
    ],
    { timeout: 20_000 },
  );
  run.child.stdin?.end('QUIT\r\n');
  return run.then(
    ({ stderr }) => /^Verification: OK$/m.test(stderr),
    () => false,
  );
}

export const hasMountNamespaces = (): boolean => runs('unshare', '--mount', 'true');

/**
 * Runs programs that read the address of their resolver from /etc/resolv.conf in a mount namespace with another one, and
 * returns what they print. An end with the status 1 is an error unless it `mayFail`.
 */
export function withResolver(
  resolver: string,
  { mayFail = false } = {},
): (program: string) => Promise<string> {
  const folder = useFolder('resolver');
  writeFileSync(join(folder, 'resolv.conf'), `nameserver ${resolver}\n`);
  writeFileSync(join(folder, 'main.cf'), 'compatibility_level = 3.6\nsmtp_host_lookup = dns\n');
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', MAIL_CONFIG: folder };
  return async (program) => {
    const command = `mount --bind ${folder}/resolv.conf /etc/resolv.conf && exec ${program}`;
    const run = promisify(execFile)('unshare', ['--mount', 'sh', '-c', command], { timeout: 30_000, env });
    const { stdout, stderr } = await run.catch((error: { code: unknown; stdout: string; stderr: string }) => {
      if (mayFail && error.code === 1) return error;
      throw error;
    });
    return `${stdout}${stderr}`;
  };
}

/** SMTP to 192.0.2.1, which is a host of this machine. */
export function smtpTo(port: number, dns: Dns) {
  const dialMap = new Map([['192.0.2.1:25', { address: '127.0.0.1', port }]]);
  return createSmtp({
    dialer: createDialer({ dns, privateAddresses: 'deny', dialMap }),
    ehloName: 'probe.test',
  });
}
