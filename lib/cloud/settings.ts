import type { Config } from '../../shared/runtime/config/config.ts';
import type { HostedZone } from './hosted-zones.ts';

export type Environment = Readonly<Partial<Record<keyof Config, string>>>;

/** CloudFront's firewalls and certificates are in this region, wherever the service is. */
export const EDGE_REGION = 'us-east-1';

/** The settings of a deployment. */
export interface Settings {
  /** `prod` keeps its data even if the stacks are deleted; `dev` deletes everything with its stacks. */
  readonly stage: 'dev' | 'prod';
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
  /** The custom domain name of the API, and its certificate in the same region. */
  readonly apiDomain?: string;
  readonly certificateArn?: string;
  /** Whether the API is available only at its custom domain name. */
  readonly disableExecuteApiEndpoint: boolean;
  /** How many requests the firewall allows an address in five minutes; 0: there is no firewall. */
  readonly wafRequestsPer5Minutes: number;
  /** The certificate of the host in `hostUrl`, for CloudFront. */
  readonly edgeCertificateArn?: string;
  /** The Route 53 zones in which DNS records are created; records in other zones must be created manually. */
  readonly hostedZones: readonly HostedZone[];
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
  /** The address that receives alarms. */
  readonly alarmEmail?: string;
  /**
   * The Lambda concurrency limit of the account in this region; 0 if unknown. Public tools get a part of it, and an alarm
   * warns before it is reached.
   */
  readonly lambdaConcurrency: number;
  /** Whether functions that connect to port 25 get a VPC for which AWS can allow it. */
  readonly smtpProbe: boolean;
  /** The environment variables of the functions that are set; others have the defaults of `environmentSchema`. */
  readonly environment: Environment;
}
