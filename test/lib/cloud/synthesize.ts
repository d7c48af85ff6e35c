/** Synthesizes deployments in this process, as `npx cdk synth` does. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Validations } from 'aws-cdk-lib';
import type { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { AwsSolutionsChecks } from 'cdk-nag';
import { readSettings } from '../../../lib/cloud/config.ts';
import { type Bundles, handlers } from '../../../lib/cloud/handlers.ts';
import { createStacks } from '../../../lib/cloud/stacks.ts';
import { Deployed } from './deployed.ts';

// The template validator of CDK takes seconds; a manual synth includes it.
process.env.CDK_VALIDATION = 'false';

const cdkJson = JSON.parse(readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8'));

/** The required settings of a deployment; a stage that keeps its data needs domains of its own. */
const example = { reportsDomain: 'reports.example.org', testerDomain: 'tester.example.org' };

/** The required settings of a production deployment. */
export const prod = { stage: 'prod', reportsDomain: 'reports.acme.org', testerDomain: 'tester.acme.org' };

/** All settings of a deployment. */
export const everything = {
  ...prod,
  region: 'eu-west-1',
  apiDomain: 'monitor.acme.org',
  certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/0b1c',
  disableExecuteApiEndpoint: true,
  hostedZones: 'acme.org=Z0123456789ABC',
  alertSender: 'alerts@acme.org',
  alarmEmail: 'operators@acme.org',
  smtpProbe: true,
  testerAllowAllIps: true,
  takeOverActiveRuleSet: true,
  backupCopyVaultArn: 'arn:aws:backup:eu-central-1:444455556666:backup-vault:copies',
};

/** The same, behind the firewall. */
export const withFirewall = {
  ...everything,
  apiDomain: 'origin.acme.org',
  hostUrl: 'https://monitor.acme.org',
  edgeCertificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/0b1c',
  wafRequestsPer5Minutes: 1000,
};

/** Bundles for tests that need no code: a small folder. */
export const anyCode: Bundles = new Map(
  handlers.map((handler) => [
    handler,
    {
      folder: fileURLToPath(new URL('../../../lib/cloud/activation', import.meta.url)),
      handler: 'index.handler',
      bytes: 0,
    },
  ]),
);

/** What this file synthesized, by its settings. */
const synthesized = new Map<string, Deployed>();

/** What several files need is kept for as long as the worker of jest, which loads this module for each file. */
const ofWorker = globalThis as { assemblies?: Map<string, CloudAssembly> };
const shared = ofWorker.assemblies ?? new Map<string, CloudAssembly>();
ofWorker.assemblies = shared;
const sharedSettings = [{}, prod, everything, withFirewall].map((context) => JSON.stringify(context));

/** Synthesizes a deployment, once for the same settings. Throws if cdk-nag has a finding that is not acknowledged. */
export function synthesize(context: Context, bundles = anyCode): Deployed {
  const make = () =>
    assembled(context, bundles, (assembly) => ({ assembly, deployed: new Deployed(assembly) }));
  if (bundles !== anyCode) return make().deployed;
  const key = JSON.stringify(context);
  const known = synthesized.get(key);
  if (known !== undefined) return known;
  const before = shared.get(key);
  const { assembly, deployed } =
    before === undefined ? make() : { assembly: before, deployed: new Deployed(before) };
  synthesized.set(key, deployed);
  if (sharedSettings.includes(key)) shared.set(key, assembly);
  return deployed;
}

/** An acknowledged finding of cdk-nag. */
interface Acknowledged {
  readonly ruleName: string;
  /** The path of a construct. */
  readonly acknowledgedAt: string;
  readonly reason: string;
}

export function acknowledged(context: Context): Acknowledged[] {
  return assembled(context, anyCode, ({ directory }) => {
    const report = JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8'));
    return report.pluginReports.flatMap(
      ({ suppressedViolations }: { suppressedViolations: Acknowledged[] }) => suppressedViolations,
    );
  });
}

/** None of these is in a template, and they take a third of a synthesis. */
const withoutDiagnostics = { stackTraces: false, treeMetadata: false };

type Context = Readonly<Record<string, unknown>>;

function assembled<T>(context: Context, bundles: Bundles, read: (assembly: CloudAssembly) => T): T {
  const app = new App({
    context: {
      ...cdkJson.context,
      'aws:cdk:disable-creation-stack-traces': true,
      ...(context.settings === undefined && example),
      ...context,
    },
    ...withoutDiagnostics,
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  createStacks(app, readSettings(app.node.getAllContext()), bundles);
  const assembly = app.synth();
  try {
    return read(assembly);
  } finally {
    rmSync(assembly.directory, { recursive: true });
  }
}
