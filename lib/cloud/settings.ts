import * as z from 'zod/mini';
import { type Config, hostName, list, mailAddress, wholeNumber } from '../../shared/runtime/config/config.ts';
import { parseFormerDomains } from './former-domains.ts';
import { parseHostedZones } from './hosted-zones.ts';
import { parseTags } from './tags.ts';

export type Environment = Readonly<Partial<Record<keyof Config, string>>>;

/** CloudFront's firewalls and certificates are in this region, wherever the service is. */
export const EDGE_REGION = 'us-east-1';

/** The key of the CDK context for `firstStacks`, which only `npm run deploy` sets. */
export const FIRST_STACKS = 'deploy:first';

const flag = z.pipe(
  z._default(z.enum(['true', 'false'], 'must be "true" or "false"'), 'false'),
  z.transform((text) => text === 'true'),
);

const like = (pattern: RegExp, message: string) => z.optional(z.string().check(z.regex(pattern, message)));

const awsRegion = like(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-west-1');

/** SQS starts from 2 to 1000 functions for a queue; undefined where the quota of the account decides. */
const workers = like(/^(?:[2-9]|[1-9]\d\d?|1000)$/, 'must be a whole number from 2 to 1000');

const certificateArn = like(
  /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
  'must be the ARN of an ACM certificate',
);

const secretArn = like(
  /^arn:aws:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+$/,
  'must be the ARN of a secret',
);

/** The settings of a deployment as they are written; `Settings` has those that others decide. */
export const settingsSchema = z.object({
  /** Part of the names of the stacks. */
  stage: z._default(
    z
      .string()
      .check(z.regex(/^[a-z][a-z0-9-]{0,19}$/, 'must be up to 20 lower-case letters, digits and hyphens')),
    'dev',
  ),
  keepData: z.optional(z.enum(['true', 'false'], 'must be "true" or "false"')),
  /** The AWS account; default: that of the credentials. */
  account: like(/^\d{12}$/, 'must be the 12 digits of an AWS account'),
  /** The AWS region; default: the region of the AWS profile. */
  region: awsRegion,
  /** The request rate limit of the API for all callers together; the burst limit is twice as high. */
  requestsPerSecond: wholeNumber(100, 1, 100_000),
  checkWorkers: workers,
  mailWorkers: workers,
  notificationWorkers: workers,
  /** The custom domain name of the API, and its certificate in the same region. */
  apiDomain: z.optional(hostName),
  certificateArn,
  /** Whether the API is available only at its custom domain name. */
  disableExecuteApiEndpoint: flag,
  /** How many requests the firewall allows an address in five minutes; 0: there is no firewall. */
  wafRequestsPer5Minutes: wholeNumber(0, 0, 999_999_999),
  /** The certificate of the host in `hostUrl`, for CloudFront. */
  edgeCertificateArn: certificateArn,
  /** The domains before `reportsDomain` and `testerDomain`, oldest first. */
  formerReportsDomains: list(parseFormerDomains, ''),
  formerTesterDomains: list(parseFormerDomains, ''),
  /** The Route 53 zones in which DNS records are created; records in other zones must be created manually. */
  hostedZones: list(parseHostedZones, ''),
  /** A region whose SES receives mail while that of the first one does not answer. */
  secondMailRegion: awsRegion,
  /** An existing active rule set to add our receipt rules to. */
  receiptRuleSetName: like(/^[\w.-]{1,64}$/, 'must be the name of a receipt rule set'),
  /** Whether our rule set may replace another active rule set. */
  takeOverActiveRuleSet: flag,
  /** Whether SES accepts mail from all IP addresses, including blocked ones, for the whole account and region. */
  testerAllowAllIps: flag,
  /** The sender address of alerts. */
  alertSender: z.optional(mailAddress),
  /** Whether the SES identity of its domain already exists and is managed elsewhere. */
  existingAlertIdentity: flag,
  /** A restored table to use instead of the table of the data stack. */
  restoredTable: like(/^[\w.-]{3,255}$/, 'must be the name of a table'),
  /** The address that receives alarms that wake somebody, and the one for all others; default: the same. */
  alarmEmail: z.optional(mailAddress),
  ticketEmail: z.optional(mailAddress),
  /** US dollars of the account in a month, of which a mail tells before they are spent; 0: no budget. */
  monthlyBudget: wholeNumber(0, 0, 999_999_999),
  /** How many mails arrive in an hour before an alarm goes off. */
  mailsPerHour: wholeNumber(5_000, 1, 999_999_999),
  /** For how many hours no mail may arrive before an alarm goes off, 24 at most; 0: for ever. */
  noMailHours: wholeNumber(0, 0, 24),
  /** The secret with the token and the domain of the canary; without it, there is none. */
  canarySecretArn: secretArn,
  /** The secret of this service at the identity provider; without it, it is a public client. */
  oidcSecretArn: secretArn,
  /** Whether AWS X-Ray traces the functions. */
  xray: flag,
  /** Whether notifications can go to an event bus of the service. */
  events: z.optional(z.enum(['bus'], 'must be "bus"')),
  /**
   * The Lambda concurrency limit of the account in this region; 0 if unknown. Public tools get a part of it, and an alarm
   * warns before it is reached.
   */
  lambdaConcurrency: wholeNumber(0, 0, 100_000),
  /** Whether functions that connect to port 25 get a VPC for which AWS can allow it. */
  smtpProbe: flag,
  /** The vault, usually of another account, that gets a copy of each daily backup; without it, there are no such backups. */
  backupCopyVaultArn: like(
    /^arn:aws:backup:[a-z0-9-]+:\d{12}:backup-vault:[\w-]{2,50}$/,
    'must be the ARN of a backup vault',
  ),
  /** Whether each zone of that VPC has a NAT gateway of its own, and an address. */
  natPerZone: flag,
  /** Whether the data is encrypted with a key of this account. */
  customerKey: flag,
  tags: list(parseTags, ''),
  /** The name or the ARN of a policy that limits all roles. */
  permissionsBoundary: like(
    /^(?:arn:aws:iam::\d{12}:policy\/)?[\w+=,.@/-]{1,128}$/,
    'must be the name or the ARN of a policy',
  ),
  /** The qualifier of the bootstrap resources, if it is not the default one. */
  qualifier: like(/^[a-z0-9]{1,10}$/, 'must be a qualifier of "cdk bootstrap"'),
});

type Written = z.output<typeof settingsSchema>;

/** The settings of a deployment. */
export interface Settings
  extends Readonly<Omit<Written, 'keepData' | 'checkWorkers' | 'mailWorkers' | 'notificationWorkers'>> {
  /** Whether the data is kept, and protected, even if the stacks are deleted; otherwise, everything is deleted with them. */
  readonly keepData: boolean;
  /** The names of the stacks that have not been created yet, and are not protected until they are. */
  readonly firstStacks: readonly string[];
  /** How many functions check domains concurrently, five domains each; SQS allows 2 to 1000. */
  readonly checkWorkers: number;
  /** How many functions read the mail of each of the two domains concurrently; SQS allows 2 to 1000. */
  readonly mailWorkers: number;
  /** How many functions deliver alerts concurrently, and how many deliver digests; SQS allows 2 to 1000. */
  readonly notificationWorkers: number;
  /** How many functions work on each other queue. */
  readonly otherWorkers: number;
  /** The environment variables of the functions that are set; others have the defaults of `environmentSchema`. */
  readonly environment: Environment;
}
