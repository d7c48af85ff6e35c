/** How fast mail is accepted and stored, beside Mailpit, both with their data in files. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { registered } from '../../bench/measuring.ts';
import type { BenchRow } from '../../bench/row.ts';
import { freePort } from '../../kit/free-port.ts';
import { bootService } from '../../kit/service.ts';
import { smtpClient } from '../../kit/smtp-client.ts';
import { inTurns } from './compared.ts';

const MAILPIT = 'github.com/axllent/mailpit@v1.33.1';
const FOLDER = join(tmpdir(), 'domain-monitor-mailpit');
const INSTALL_MILLISECONDS = 600_000;
const TURNS = 5;
const MAILS = 300;
const CLIENTS = 10;
/**
 * Mailpit acknowledges before its file is on the disk. Ours is there with a queue entry first, and reads each mail beside
 * accepting others.
 */
const GOAL = 1 / 40;

const name = `Mails accepted per second over SMTP, ${CLIENTS} clients, beside Mailpit`;
const goal = `at least 1 to ${1 / GOAL}`;

export async function judgeSmtp(): Promise<readonly BenchRow[]> {
  const program = await install();
  if (program === undefined) return [{ name, goal, value: 'skipped: go cannot install Mailpit', met: null }];
  const folder = mkdtempSync(join(tmpdir(), 'mailpit-'));
  const [smtp, web] = [await freePort(), await freePort()];
  const mailpit = spawn(
    program,
    ['--smtp', `127.0.0.1:${smtp}`, '--listen', `127.0.0.1:${web}`, '--database', join(folder, 'mails.db')],
    { stdio: 'ignore' },
  );
  const service = await bootService();
  try {
    const { address } = await registered(service, 'a.example');
    await untilOpen(smtp);
    const { ours, theirs } = await inTurns(
      TURNS,
      () => perSecond(service.smtpPort, address),
      () => perSecond(smtp, 'someone@a.example'),
    );
    const ratio = ours / theirs;
    const value = `${Math.round(ours)} compared with ${Math.round(theirs)}: 1 to ${(1 / ratio).toFixed(1)}`;
    return [{ name, goal, value, met: ratio >= GOAL }];
  } finally {
    await service.remove();
    const closed = once(mailpit, 'exit');
    mailpit.kill();
    await closed;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The program, installed outside of the project; undefined without Go or its proxy. */
async function install(): Promise<string | undefined> {
  const program = join(FOLDER, 'mailpit');
  if (existsSync(program)) return program;
  const env = { ...process.env, GOBIN: FOLDER };
  return promisify(execFile)('go', ['install', MAILPIT], { env, timeout: INSTALL_MILLISECONDS }).then(
    () => program,
    () => undefined,
  );
}

async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    const client = await smtpClient(port).catch(() => undefined);
    if (client !== undefined) return client.close();
    await pause(500);
  }
  throw new Error('Mailpit does not listen');
}

/** Sends from each client in turn, over one session each, and waits for each reply. */
async function perSecond(port: number, to: string): Promise<number> {
  const mail = `From: a@b.example\r\nTo: ${to}\r\nSubject: Hello\r\n\r\n${'A line of the text.\r\n'.repeat(100)}`;
  let left = MAILS;
  const send = async (at: number) => {
    const client = await smtpClient(port, `127.0.1.${at + 1}`);
    while (left > 0) {
      left -= 1;
      for (const command of ['MAIL FROM:<a@b.example>', `RCPT TO:<${to}>`, 'DATA']) {
        const said = await client.say(command);
        if (!/^[23]/.test(said)) throw new Error(`${command}: ${said}`);
      }
      const said = await client.content(mail);
      if (!said.startsWith('250')) throw new Error(said);
    }
    client.close();
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, (_, at) => send(at)));
  return MAILS / ((performance.now() - from) / 1000);
}
