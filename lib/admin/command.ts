/** What a command of the operator gets and needs. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Naming } from '../../shared/api/domains.ts';
import type { ReportStores } from '../../shared/ingest/ingest-reports.ts';
import type { MailboxConnections } from '../../shared/mailboxes/open.ts';
import type { AuditDependencies } from '../../shared/operations/audit.ts';
import type { RunDependencies } from '../../shared/operations/checks/run-checks.ts';
import type { RegistrationDependencies } from '../../shared/operations/domains/create-domain.ts';
import type { AssessAgainDependencies } from '../../shared/operations/enforcement/assess-again.ts';
import type { AssessDependencies } from '../../shared/operations/enforcement/update-enforcement.ts';
import type { PastPlanDependencies } from '../../shared/operations/fixes/plan-fixes.ts';
import type { MessageSender } from '../../shared/operations/operation.ts';
import type { Shares } from '../../shared/operations/shares/delete-share.ts';
import type { Dns } from '../../shared/protocol/dns.ts';
import type { QueueName } from '../../shared/runtime/workers/trigger.ts';
import type { AlertStore } from '../../shared/store/alerts/alerts.ts';
import type { ChannelStore } from '../../shared/store/alerts/channels.ts';
import type { DeliveryStore } from '../../shared/store/alerts/deliveries.ts';
import type { AttentionChanges } from '../../shared/store/attention-changes.ts';
import type { DomainReference, DomainStore } from '../../shared/store/domains/domains.ts';
import type {
  FetchedMailboxStore,
  MailboxReference,
  MailboxSecretStore,
} from '../../shared/store/fetched-mailboxes.ts';
import type { MemberStore } from '../../shared/store/members.ts';
import type { OrganizationStore } from '../../shared/store/organizations.ts';
import type { RateStore } from '../../shared/store/rates/rates.ts';
import type { WritableRawMessages } from '../../shared/store/raw-messages.ts';
import type { Cipher } from '../../shared/store/secrets.ts';
import type { SessionStore } from '../../shared/store/sessions.ts';
import type { Table } from '../../shared/store/table.ts';
import type { QueueUrls } from '../cloud/queue-outputs.ts';
import type { Setting } from './deployment.ts';
import type { LocalService } from './local-service.ts';
import type { Progress } from './progress.ts';

export interface AdminDependencies extends AuditDependencies {
  /** The table that the command works on. */
  readonly table: Table;
  readonly cipher: Cipher;
  readonly organizations: OrganizationStore;
  readonly members: MemberStore;
  readonly domains: DomainStore;
  readonly notifications: ChannelStore;
  readonly deliveries: DeliveryStore;
  readonly mailboxes: FetchedMailboxStore;
  readonly mailboxSecrets: MailboxSecretStore;
  /** Has the service read a mailbox. */
  readonly mailboxRuns: MessageSender<MailboxReference>;
  /** Opens folders of mailboxes, from this machine. */
  readonly mailboxConnections: () => Promise<MailboxConnections>;
  readonly attention: Pick<AttentionChanges, 'mailboxClosings'>;
  readonly rates: Pick<RateStore, 'consume'>;
  readonly sessions: SessionStore;
  /** Saved results of the public tools. */
  readonly shares: Shares;
  /** Whether webhook URLs may point to private addresses. */
  readonly allowPrivateAddresses: boolean;
  readonly progress: Progress;
  /** Sets the exit code of the process, which is 0 otherwise. */
  readonly setExitCode: (code: number) => void;
  readonly setting: Setting;
  // The following are functions because only some commands need them, and they throw if the setting is unknown.
  /** Domains whose mail the service receives. */
  readonly ownDomains: () => readonly string[];
  readonly stores: () => ReportStores;
  /** Sums the reports of a domain for its organization, after some were imported. */
  readonly sumReports: (domain: DomainReference) => Promise<void>;
  /** Has the service roll up all days of a domain. @throws CommandError where nobody said where its queue is. */
  readonly rollUpAll: (domain: DomainReference) => Promise<void>;
  readonly raw: () => WritableRawMessages;
  readonly dns: () => Dns;
  readonly queues: () => Promise<QueueAccess>;
  /** The deployment, for commands that restore its table. */
  readonly deployment: () => DeploymentAccess;
  readonly service: () => LocalService;
  readonly enforcement: () => AssessDependencies & AssessAgainDependencies;
  readonly alerts: () => Pick<AlertStore, 'list'>;
  /** The names of the service, as they are shown. */
  readonly naming: () => Naming;
  /** What operations on domains need. */
  readonly registration: () => RegistrationDependencies;
  readonly checks: () => Promise<RunDependencies>;
  readonly fixes: () => PastPlanDependencies;
  /** How mail leaves the service, in a sentence; undefined if nobody said. */
  readonly mailTransport: () => string | undefined;
  /** The base URL of the service. */
  readonly hostUrl: () => string;
}

/** What restores the table of a deployment. */
export interface DeploymentAccess {
  readonly client: DynamoDBClient;
  /** The same dependencies, on another table. */
  readonly on: (table: string) => Omit<AdminDependencies, 'setExitCode'>;
  /** The objects below a prefix that were stored at a time or later, from one pass over the bucket. */
  readonly objectsSince: (prefix: string, since: Date) => Promise<readonly StoredObject[]>;
}

export interface StoredObject {
  readonly key: string;
  readonly storedAt: Date;
}

/** The queues of the service. */
export interface QueueAccess {
  readonly client: SQSClient;
  /** @throws CommandError where nobody said where they are. */
  readonly urlsOf: (queue: QueueName) => QueueUrls;
}

/** The commands of the operator, by their words. */
export type Commands = Readonly<Record<string, Command>>;

export interface Command {
  /**
   * Its arguments: `<org>` is required, `[channel]` is optional, and `<event...>` is at least one. If `<org>` is the first, the
   * command runs only for an organization that exists.
   */
  readonly args?: string;
  /** What it does, for the help. */
  readonly says: string;
  /** What is typed after `npm run admin --`, for the help. */
  readonly example: string;
  /** What each option does, by its flags. */
  readonly options?: Readonly<Record<string, string>>;
  /** Gets as many arguments as `args` requires. Returns the lines that the command prints. */
  run(args: readonly string[], options: Options, deps: AdminDependencies): Promise<string[]>;
}

/** The options of commands that are about one domain. */
export const onDomain = {
  '--org <org>': 'the organization that owns the domain, if several have registered it',
};

/** The option of commands that list or show what the API has, too. */
export const asJson = { '--json': 'print JSON in the format of the API, without the envelope' };

export interface Options {
  readonly name?: string | undefined;
  readonly outcome?: string | undefined;
  readonly org?: string | undefined;
  readonly expires?: string | undefined;
  readonly scope?: string | undefined;
  readonly message?: string | undefined;
  readonly from?: string | undefined;
  readonly dmarc?: string | undefined;
  readonly spf?: string | undefined;
  readonly days?: string | undefined;
  readonly maxUnpredictable?: string | undefined;
  readonly at?: string | undefined;
  readonly since?: string | undefined;
  readonly oldTable?: string | undefined;
  readonly secretFile?: string | undefined;
  readonly refreshTokenFile?: string | undefined;
  readonly other?: string | undefined;
  readonly pause?: boolean;
  readonly resume?: boolean;
  readonly tokenUrl?: string | undefined;
  readonly clientId?: string | undefined;
  readonly port?: string | undefined;
  readonly folder?: string | undefined;
  readonly after?: string | undefined;
  readonly moveTo?: string | undefined;
  readonly every?: string | undefined;
  readonly starttls?: boolean;
  readonly keepDomains?: boolean;
  readonly all?: boolean;
  readonly json?: boolean;
  readonly secrets?: boolean;
  readonly domain?: string | undefined;
  readonly severity?: string | undefined;
  readonly unread?: boolean;
  readonly limit?: string | undefined;
  readonly usage?: string | undefined;
  readonly testMailbox?: string | undefined;
  readonly tags?: string | undefined;
  readonly format?: string | undefined;
  readonly created?: boolean;
  readonly role?: string | undefined;
}
