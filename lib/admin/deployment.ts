/** The deployment that an operator command targets, according to stack outputs, flags, and environment variables. */
import { describeMailTransport } from '../../shared/notify/mail-transport.ts';
import type { Config } from '../../shared/runtime/config/config.ts';
import type { QueueName } from '../../shared/runtime/workers/trigger.ts';
import {
  ADMIN_OUTPUT,
  type AdminEnvironment,
  type AdminKey,
  parseAdminEnvironment,
} from '../cloud/admin-output.ts';
import type { Outputs } from '../cloud/dns-outputs.ts';
import { type QueueUrls, queueUrlsOf } from '../cloud/queue-outputs.ts';
import { readSettings } from '../local/host/settings.ts';
import { CommandError } from '../terminal/command-line.ts';
import { readStackOutputs, severalDeployments } from './stack-outputs.ts';

/** Returns a setting of the service. @throws CommandError if the setting is unknown and nothing is given for that case. */
export type Setting = <Key extends AdminKey>(key: Key, otherwise?: Config[Key]) => Config[Key];

/** A deployment and its known settings. */
export interface Deployment {
  readonly table: string;
  readonly bucket: string | undefined;
  /** The ARN of the key of the secrets in the table. */
  readonly secretsKey: string | undefined;
  /** If undefined, the AWS SDK determines the region. */
  readonly region: string | undefined;
  readonly setting: Setting;
  /** How mail leaves; undefined if the outputs do not say. */
  readonly mailTransport: () => string | undefined;
  /** The base URL of the service. @throws CommandError if it is unknown. */
  readonly hostUrl: () => string;
  /** @throws CommandError where the outputs do not tell where a queue is. */
  readonly queueUrls: (name: QueueName) => QueueUrls;
}

/** Where the stores of the commands are. */
export interface Place {
  readonly outputs?: string;
  readonly table?: string;
  readonly bucket?: string;
}

/**
 * The deployment that the flags select, if any. Its settings come from the outputs file, or else from the environment;
 * defaults do not apply, because the deployment may use other values.
 * @throws CommandError if the file cannot be read or describes no deployment, ConfigError for malformed values.
 */
export async function deploymentOf(
  { outputs, table, bucket }: Place,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Deployment | undefined> {
  const stacks = outputs === undefined ? [] : await readStackOutputs(outputs);
  const published = outputs === undefined ? undefined : readDeployment(outputs, stacks);
  const name = table ?? published?.TABLE_NAME;
  if (name === undefined) return undefined;
  const known = { ...environment, ...published };
  const settings = readSettings(known);
  return {
    table: name,
    bucket: bucket ?? published?.MAIL_BUCKET,
    secretsKey: known.SECRETS_KEY,
    region: published?.AWS_REGION,
    setting(key, otherwise) {
      if (known[key]) return settings[key];
      if (otherwise !== undefined) return otherwise;
      throw new CommandError(
        `the setting ${key} of the deployment is unknown: use --outputs, or set the environment variable`,
      );
    },
    mailTransport: () => (known.ALERT_SENDER === undefined ? undefined : describeMailTransport(settings)),
    hostUrl() {
      const url = stacks.flatMap((stack) => stack.ApiUrl ?? [])[0] ?? environment.HOST_URL;
      if (url) return url;
      throw new CommandError(
        'the address of the deployment is unknown: use --outputs, or set the environment variable HOST_URL',
      );
    },
    queueUrls(queue) {
      const urls = queueUrlsOf(queue, stacks);
      if (urls !== undefined) return urls;
      throw new CommandError(
        outputs === undefined
          ? 'where the queues of the deployment are is not known: give --outputs'
          : `${outputs} does not tell where the queue ${queue} is: deploy all stacks with one file of outputs`,
      );
    },
  };
}

function readDeployment(path: string, stacks: readonly Outputs[]): AdminEnvironment {
  const [output, ...others] = stacks.flatMap((stack) => stack[ADMIN_OUTPUT] ?? []);
  if (output === undefined)
    throw new CommandError(`${path} has no output ${ADMIN_OUTPUT}: deploy the service stack again`);
  if (others.length > 0) throw severalDeployments(path);
  const published = parseAdminEnvironment(output);
  if (published === undefined)
    throw new CommandError(
      `${path}: the output ${ADMIN_OUTPUT} was written by another version: deploy the service stack again`,
    );
  return published;
}
