import type { Config } from '../../shared/runtime/config/config.ts';
import type { FormerDomain } from './former-domains.ts';
import type { HostedZone } from './hosted-zones.ts';

export type Environment = Readonly<Partial<Record<keyof Config, string>>>;

/** CloudFront's firewalls and certificates are in this region, wherever the service is. */
export const EDGE_REGION = 'us-east-1';

/** The key of the CDK context for `firstStacks`, which only `npm run deploy` sets. */
export const FIRST_STACKS = 'deploy:first';

/** The settings of a deployment. */
export interface Settings {
  /** Part of the names of the stacks. */
  readonly stage: string;
  /** Whether the data is kept, and protected, even if the stacks are deleted; otherwise, everything is deleted with them. */
  readonly keepData: boolean;
  /** The names of the stacks that have not been created yet, and are not protected until they are. */
  readonly firstStacks: readonly string[];
  /** The AWS account; default: that of the credentials. */
  readonly account?: string;
  /** The AWS region; default: the region of the AWS profile. */
  readonly region?: string;
  /** The request rate limit of the API for all callers together; the burst limit is twice as high. */
  readonly requestsPerSecond: number;
  /** How many functions check domains concurrently, five domains each; SQS allows 2 to 1000. */
  readonly checkWorkers: number;
  /** How many functions read the mail of each of the two domains concurrently; SQS allows 2 to 1000. */
  readonly mailWorkers: number;
  /** How many functions deliver alerts concurrently, and how many deliver digests; SQS allows 2 to 1000. */
  readonly notificationWorkers: number;
  /** How many functions work on each other queue. */
  readonly otherWorkers: number;
  /** The custom domain name of the API, and its certificate in the same region. */
  readonly apiDomain?: string;
  readonly certificateArn?: string;
  /** Whether the API is available only at its custom domain name. */
  readonly disableExecuteApiEndpoint: boolean;
  /** How many requests the firewall allows an address in five minutes; 0: there is no firewall. */
  readonly wafRequestsPer5Minutes: number;
  /** The certificate of the host in `hostUrl`, for CloudFront. */
  readonly edgeCertificateArn?: string;
  /** The domains before `reportsDomain` and `testerDomain`, oldest first. */
  readonly formerReportsDomains: readonly FormerDomain[];
  readonly formerTesterDomains: readonly FormerDomain[];
  /** The Route 53 zones in which DNS records are created; records in other zones must be created manually. */
  readonly hostedZones: readonly HostedZone[];
  /** A region whose SES receives mail while that of the first one does not answer. */
  readonly secondMailRegion?: string;
  /** An existing active rule set to add our receipt rules to. */
  readonly receiptRuleSetName?: string;
  /** Whether our rule set may replace another active rule set. */
  readonly takeOverActiveRuleSet: boolean;
  /** Whether SES accepts mail from all IP addresses, including blocked ones, for the whole account and region. */
  readonly testerAllowAllIps: boolean;
  /** The sender address of alerts. */
  readonly alertSender?: string;
  /** Whether the SES identity of its domain already exists and is managed elsewhere. */
  readonly existingAlertIdentity: boolean;
  /** A restored table to use instead of the table of the data stack. */
  readonly restoredTable?: string;
  /** The address that receives alarms that wake somebody, and the one for all others; default: the same. */
  readonly alarmEmail?: string;
  readonly ticketEmail?: string;
  /** US dollars of the account in a month, of which a mail tells before they are spent; 0: no budget. */
  readonly monthlyBudget: number;
  /** How many mails arrive in an hour before an alarm goes off. */
  readonly mailsPerHour: number;
  /** For how many hours no mail may arrive before an alarm goes off, 24 at most; 0: for ever. */
  readonly noMailHours: number;
  /** The secret with the token and the domain of the canary; without it, there is none. */
  readonly canarySecretArn?: string;
  /** The secret of this service at the identity provider; without it, it is a public client. */
  readonly oidcSecretArn?: string;
  /** Whether AWS X-Ray traces the functions. */
  readonly xray: boolean;
  /** Whether notifications can go to an event bus of the service. */
  readonly events?: 'bus';
  /**
   * The Lambda concurrency limit of the account in this region; 0 if unknown. Public tools get a part of it, and an alarm
   * warns before it is reached.
   */
  readonly lambdaConcurrency: number;
  /** Whether functions that connect to port 25 get a VPC for which AWS can allow it. */
  readonly smtpProbe: boolean;
  /** Whether each zone of that VPC has a NAT gateway of its own, and an address. */
  readonly natPerZone: boolean;
  /** Whether the data is encrypted with a key of this account. */
  readonly customerKey: boolean;
  /** The vault, usually of another account, that gets a copy of each daily backup; without it, there are no such backups. */
  readonly backupCopyVaultArn?: string;
  readonly tags: Readonly<Record<string, string>>;
  /** The name or the ARN of a policy that limits all roles. */
  readonly permissionsBoundary?: string;
  /** The qualifier of the bootstrap resources, if it is not the default one. */
  readonly qualifier?: string;
  /** The environment variables of the functions that are set; others have the defaults of `environmentSchema`. */
  readonly environment: Environment;
}
