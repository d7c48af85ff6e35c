/** The assembly of the CDK app, created as `cdk synth` does it: by the app in a separate process. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { environmentKeys } from '../../../lib/cloud/config.ts';
import { printTrustAnchors, rootAnchors } from '../../../shared/protocol/dnssec/anchors.ts';
import { compileCache } from '../compile-cache.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Every setting of a deployment, mostly with its default, so that the template passes each one to the functions that
 * use it; the local host replaces the values with those of a test. The public address is missing: it is that of the
 * API.
 */
const settings: Readonly<Record<Exclude<keyof typeof environmentKeys, 'hostUrl'>, string>> = {
  // Differs from the defaults in the code, so that a function without the setting is noticed.
  reportsDomain: 'reports.deployed.example',
  testerDomain: 'tester.deployed.example',
  serviceLabel: 'svc',
  oidcIssuer: 'https://login.deployed.example',
  oidcClientId: 'monitor',
  dnsServers: '192.0.2.1',
  dnssecTrustAnchors: printTrustAnchors(rootAnchors),
  rdapBootstrap: 'off',
  blocklists: 'combined=list.example',
  watchBlocklists: 'off',
  domainBlocklists: 'domains.example',
  unauthenticatedReports: 'count',
  checkIntervalSeconds: '86400',
  domainLimit: '100',
  scoreThreshold: '70',
  apiRatePerMinute: '600',
  toolRatePerMinute: '30',
  publicChecks: 'on',
  securityContact: 'mailto:security@monitor.deployed.example',
  retentionDays: '0',
  logLevel: 'info',
};

/** Optional parts of a deployment. */
const options = {
  smtpProbe: true,
  alertSender: 'alerts@monitor.deployed.example',
  oidcSecretArn: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:oidc-AbCdEf',
  formerReportsDomains: 'former.deployed.example',
  formerTesterDomains: 'former-tester.deployed.example',
};

const MILLISECONDS = 180_000;

/** Writes the assembly of a development stage into `folder`. Rejects with the output of the app. */
export async function synthesize(folder: string): Promise<void> {
  const { context } = JSON.parse(await readFile(`${ROOT}/cdk.json`, 'utf8'));
  const { PATH = '', HOME = '' } = process.env;
  await promisify(execFile)(process.execPath, ['bin/cdk.ts'], {
    cwd: ROOT,
    timeout: MILLISECONDS,
    env: {
      PATH,
      HOME,
      ...compileCache,
      // The template validator of CDK takes a third of a synthesis; the documented synthesis includes it.
      CDK_VALIDATION: 'false',
      CDK_OUTDIR: folder,
      CDK_CONTEXT_JSON: JSON.stringify({ ...context, ...settings, ...options }),
    },
  });
}
