/** The CDK app's assembly, made as `cdk synth` makes it: by the app in a process of its own. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { environmentKeys } from '../../lib/cloud/config.ts';
import { printTrustAnchors, rootAnchors } from '../../shared/protocol/dnssec/anchors.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Every setting that a deployment can be given, mostly with its default, so that the template names each to the
 * functions that are told it; the local host puts a test's own values there. Not the address, which is then the API's.
 */
const settings: Readonly<Record<Exclude<keyof typeof environmentKeys, 'hostUrl'>, string>> = {
  // Not the defaults of the code: a function that is not told them shows.
  reportsDomain: 'reports.deployed.example',
  testerDomain: 'tester.deployed.example',
  serviceLabel: 'svc',
  dnsServers: '192.0.2.1',
  dnssecTrustAnchors: printTrustAnchors(rootAnchors),
  blocklists: 'combined=list.example',
  unauthenticatedReports: 'count',
  checkIntervalSeconds: '86400',
  domainLimit: '100',
  scoreThreshold: '70',
  apiRatePerMinute: '600',
  toolRatePerMinute: '30',
  retentionDays: '0',
  logLevel: 'info',
};

/** Parts of a deployment that are only there when they are asked for. */
const options = { smtpProbe: true, alertSender: 'alerts@monitor.deployed.example' };

const MILLISECONDS = 180_000;

/** Writes the assembly of a development stage into `folder`. Rejects with what the app said. */
export async function synthesize(folder: string): Promise<void> {
  const { context } = JSON.parse(await readFile(`${ROOT}/cdk.json`, 'utf8'));
  const { PATH = '', HOME = '' } = process.env;
  await promisify(execFile)(process.execPath, ['bin/cdk.ts'], {
    cwd: ROOT,
    timeout: MILLISECONDS,
    env: {
      PATH,
      HOME,
      CDK_OUTDIR: folder,
      CDK_CONTEXT_JSON: JSON.stringify({ ...context, ...settings, ...options }),
    },
  });
}
