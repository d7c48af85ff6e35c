/** The service in a CDK app of somebody else. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnElement, Stage } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type environmentKeys, readSettings } from './config.ts';
import { featureFlags } from './feature-flags.ts';
import type { Bundles } from './handlers.ts';
import { packagedBundles } from './packaged-bundles.ts';
import type { settingsSchema } from './settings.ts';
import { createStacks } from './stacks.ts';

type Scalar = string | number | boolean;

/** A setting as in the file of a stage; lists and maps are written as such. */
export type Setting = Scalar | readonly Scalar[] | Readonly<Record<string, Scalar>>;

type SettingName = Exclude<
  keyof typeof settingsSchema.shape | keyof typeof environmentKeys,
  'account' | 'region' | 'reportsDomain' | 'testerDomain'
>;

/** The settings of docs/configuration.md, and where the service is deployed. */
export type MonitorProps = {
  /** The account and the region; by default those of the credentials. */
  readonly env?: { readonly account?: string; readonly region?: string };
  /** The domain of the mailboxes that receive reports, which receives no other mail. */
  readonly reportsDomain: string;
  /** The domain that receives test messages. */
  readonly testerDomain: string;
  /** Part of the names of the stacks, so that an account can have several; `dev` by default, whose data is not kept. */
  readonly stage?: string;
} & { readonly [Name in Exclude<SettingName, 'stage'>]?: Setting };

/**
 * The service as a stage: all its stacks, with the names and logical IDs that `deploy` gives them, so that either can update
 * what the other deployed.
 */
export class EmailDomainSecurityMonitor extends Stage {
  /**
   * @param bundles The code of the functions; by default what the package contains.
   * @throws ConfigError for settings that are unknown, invalid or contradict each other.
   */
  constructor(scope: Construct, id: string, props: MonitorProps, bundles?: Bundles) {
    const { env, ...settings } = props;
    super(scope, id, env === undefined ? {} : { env });
    // Those of the app around it would change the templates.
    const flags = featureFlags();
    for (const [flag, value] of Object.entries(flags)) this.node.setContext(flag, value);
    const read = readSettings({ ...settings, ...env });
    const made = bundles ?? packagedBundles();
    createStacks(this, read, made);
    keepLogicalIds(this, flags, (app) => createStacks(app, read, withoutCode(made)));
  }
}

/**
 * Gives each resource the logical ID that it has in an app of its own: some IDs contain the path of a construct from the app on,
 * and the new subscription of a queue would come before the end of the old one, which is the same to SNS and ends both.
 */
function keepLogicalIds(
  stage: Stage,
  context: Readonly<Record<string, unknown>>,
  make: (app: App) => void,
): void {
  const outdir = mkdtempSync(join(tmpdir(), 'email-domain-security-monitor-'));
  try {
    const app = new App({ context, outdir, autoSynth: false, stackTraces: false, treeMetadata: false });
    make(app);
    const elements = (of: Construct) => of.node.findAll().filter((one) => CfnElement.isCfnElement(one));
    const idOf = (element: CfnElement): string => element.stack.resolve(element.logicalId);
    const ids = elements(app).map(idOf);
    for (const [at, element] of elements(stage).entries()) {
      const id = ids[at];
      if (id !== undefined && idOf(element) !== id) element.overrideLogicalId(id);
    }
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

const withoutCode = (bundles: Bundles): Bundles =>
  new Map([...bundles].map(([name, bundle]) => [name, { ...bundle, exclude: ['**'] }]));
