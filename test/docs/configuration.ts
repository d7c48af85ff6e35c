/** Descriptions of every setting, for the generated tables in docs/configuration.md. */
import type * as z from 'zod/mini';
import { environmentKeys } from '../../lib/cloud/config.ts';
import { settingsSchema } from '../../lib/cloud/settings.ts';
import { readSettings, type Settings } from '../../lib/local/host/settings.ts';

/** Keys that each host sets itself: the locations of the table, the queues, the bucket and the key. */
type SetByHost =
  | 'TABLE_NAME'
  | 'MAIL_TRANSPORT'
  | 'MAIL_BUCKET'
  | 'SECRETS_KEY'
  | 'SIGNING_KEY'
  | 'ORIGIN_SECRET'
  | `SECOND_MAIL_${string}`
  | `${string}_QUEUE_URL`;

/** The meaning of a key. `default` replaces the default in the schema if that is empty or only partly known. */
type Description = string | { readonly meaning: string; readonly default: string };

export type Row = readonly [key: string, fallback: string, meaning: string];

const environment: Readonly<Record<Exclude<keyof Settings, SetByHost>, Description>> = {
  PORT: 'HTTP port. `0` picks any free port.',
  SMTP_PORT: 'SMTP port for inbound mail. `0` picks any free port.',
  TLS_CERT_FILE: {
    default: 'none',
    meaning:
      'Certificate chain (PEM) for STARTTLS at `SMTP_PORT` and HTTPS at `HTTPS_PORT`, from the own certificate on. The service looks for a new one every ten seconds; see [Certificates](self-host.md#certificates). With it, `PORT` accepts connections from this machine only.',
  },
  TLS_KEY_FILE: { default: 'none', meaning: 'Key of the certificate (PEM).' },
  HTTPS_PORT: 'HTTPS port, if there is a certificate. `0` picks any free port.',
  LISTEN_ADDRESS:
    'Address that the HTTP gateway and the SMTP listener bind to. Whatever the address, records under `.test` can be published from this machine only.',
  TRUSTED_PROXIES: {
    default: 'none',
    meaning:
      'Reverse proxies in front of the HTTP port, as a comma-separated list of addresses and networks. Of a request from one of them, the client is the last address in `X-Forwarded-For` that is not one of them; token networks and limits per client apply to that address. The header counts from nobody else.',
  },
  DATA_DIR:
    'Folder for all data, accessible to its owner only; each start closes it to other users. Everything that was acknowledged survives a restart or a crash.',
  API_TOKEN: {
    default: 'generated',
    meaning:
      'Token of the default organization: 16 to 200 letters, digits and `._~+/-`. Without it, the first start generates a token and keeps it in `<DATA_DIR>/api-token`; if that token is later revoked or expires, the next start generates another one. A token set here is never printed. The service does not start with a token that is revoked, expired or from another organization.',
  },
  METRICS_TOKEN: {
    default: 'none',
    meaning:
      'Bearer token with which `/metrics` can be read from other machines: 16 to 200 letters, digits and `._~+/-`. Without it, only programs on this machine can.',
  },
  OIDC_ISSUER: {
    default: 'none',
    meaning:
      'URL of the identity provider (OpenID Connect) with which people sign in to the console; see [People](people.md). Without it, only API tokens and sign-in links do.',
  },
  OIDC_CLIENT_ID: {
    default: 'none',
    meaning: 'ID of this service at the provider. Required with `OIDC_ISSUER`.',
  },
  OIDC_CLIENT_SECRET: {
    default: 'none',
    meaning:
      'Secret of this service at the provider; without one, it is a public client. On AWS, set the context key `oidcSecretArn`.',
  },
  HOST_URL: {
    default: '`http://localhost:<PORT>`; on AWS, the URL of the API',
    meaning:
      'Origin used in links and responses. On one machine, the service answers only requests for this host, `localhost`, loopback addresses, and the address that a request arrives at.',
  },
  REPORTS_DOMAIN:
    'Domain of the report mailboxes. For a domain under `localhost`, the example internet publishes the DNS records that a deployment needs.',
  FORMER_REPORTS_DOMAINS:
    'Domains before `REPORTS_DOMAIN` at which report mailboxes are still accepted, separated by commas.',
  FORMER_TESTER_DOMAINS: 'The same for `TESTER_DOMAIN`.',
  TESTER_DOMAIN: 'Domain of the one-time test addresses. Must differ from `REPORTS_DOMAIN`.',
  ALERT_SENDER: {
    default: '`alerts@localhost`; on AWS, none',
    meaning:
      'Sender address of alert mails. On AWS, set the context key `alertSender`; without it, no alert mail is sent.',
  },
  SMTP_RELAY: {
    default: 'none',
    meaning:
      'Relay that sends alert mails: `smtps://user:password@relay.example.org:465`, or `smtp://…:587`, which requires STARTTLS. Needs `ALERT_SENDER`. Percent-encode special characters in the user and the password. Without a relay, mails stay in `<DATA_DIR>/outbox`. See [Send mail](self-host.md#send-mail).',
  },
  SERVICE_LABEL:
    'Prefix of API tokens (`svc_...`) and name of the verification record: `_svc.<domain>` with the value `svc-verify=...`. Lower-case letters and digits.',
  DNS_SERVERS: {
    default: "the system's",
    meaning: 'Resolvers, as a comma-separated list of `ip[:port]`. They must return DNSSEC records.',
  },
  DNSSEC_TRUST_ANCHORS: {
    default: "IANA's root anchors",
    meaning: 'DNSSEC trust anchors, as DS records separated by `;`.',
  },
  PRIVATE_ADDRESSES:
    '`allow` lets checks, webhooks and the reading of mailboxes connect to addresses that are not public.',
  DIAL_MAP: '`host:port=address:port,...`: connect to `address:port` instead of `host:port`.',
  PROBE_SMTP:
    '`off`: do not connect to MX hosts, for networks that block outbound port 25. Their results are `unknown` and cost no points. On AWS, `off` unless `smtpProbe` is set.',
  PUBLIC_CHECKS:
    '`off`: without the domain checker that anyone can use (`POST /api/domain-checker` and its page). The SPF checker stays, and takes its place at `/`. Saved results can still be opened.',
  SECURITY_CONTACT:
    'Where to report vulnerabilities of this installation: a `mailto:` or `https:` URL, which `/.well-known/security.txt` publishes. Without it, that file does not exist.',
  EXTRA_CA_FILE: 'PEM file with additional trusted certificate authorities.',
  BIMI_TRUST_ANCHORS_FILE: {
    default: 'the known issuers',
    meaning: 'PEM file with the root certificates that are trusted for BIMI mark certificates.',
  },
  IP_DATA: {
    default: 'none',
    meaning:
      'MMDB files, separated by commas, from which the pages about senders show the network (ASN), its owner and the country of an address, such as those of GeoLite2, DB-IP or IPinfo. If several files say the same, the first one counts. They are read at the start. Only on one machine.',
  },
  RDAP_BOOTSTRAP:
    'Address of the list of RDAP servers, at which registries say when the registration of a verified domain ends, whether it is on hold or locked, and which DS records it has. `off`: ask no registry.',
  BLOCKLISTS:
    'DNS blocklists that the mail tester queries, as `role=zone,...`; a role that you leave out is not queried. A zone of your own may contain a key, so results show only its organizational domain.',
  WATCH_BLOCKLISTS:
    '`on`: ask the lists of `BLOCKLISTS` once a day about the addresses of MX hosts and of approved senders of each verified domain: 15 addresses at most, and ten more that were listed while they sent. Make sure that the terms of the lists allow that: the public ones are free only for little use, and refuse public resolvers.',
  DOMAIN_BLOCKLISTS:
    'DNS blocklists of domains that the mail tester queries for the From domain and the domains of links, as `zone,...`; empty: none. A zone of your own may contain a key, so results show only its organizational domain.',
  UNAUTHENTICATED_REPORTS:
    'What to do with reports in mail that fails DMARC or cannot be authenticated: `count` them, or `set-aside` to keep them out of lists and sums.',
  CHECK_INTERVAL_SECONDS:
    'How often each verified domain is checked, in seconds. On AWS, due domains are collected once a minute.',
  DOMAIN_LIMIT: 'Domains per organization. `npm run admin -- org limit` overrides it for one organization.',
  SCORE_THRESHOLD:
    'Score below which an alert is raised. `npm run admin -- org threshold` overrides it for one organization.',
  API_RATE_PER_MINUTE: 'v1 requests per organization and minute. `0` turns the limit off.',
  TOOL_RATE_PER_MINUTE:
    'Requests to the public tools per client address and minute. Reading a mail-test session has a separate limit, ten times as high. `0` turns both limits off.',
  RETENTION_DAYS: 'Days to keep reports, report mails, alerts and history. `0` keeps them forever.',
  LOG_LEVEL: '`debug`, `info`, `warn`, `error` or `silent`.',
  EVENTS_BUS: {
    default: 'none',
    meaning:
      'EventBridge bus on which webhooks to `https://events.invalid/` put their notifications. On AWS, set the context key `events`.',
  },
  EVENTS_FILE: {
    default: 'none',
    meaning:
      'File to which webhooks to `https://events.invalid/` append their notifications as lines of JSON. Only on one machine. See [Events of the operator](alerts.md#events-of-the-operator).',
  },
  METRICS_NAMESPACE:
    'CloudWatch namespace of the metrics in log lines. These lines are written at every `LOG_LEVEL`. Set by `cdk deploy`.',
};

type OwnContext = Exclude<keyof z.output<typeof settingsSchema>, keyof typeof environmentKeys>;

const context: Readonly<Record<OwnContext, Description>> = {
  stage:
    'Name of the stage, which is part of the names of its stacks: up to 20 lower-case letters, digits and hyphens.',
  keepData: {
    default: '`true`, except for the stage `dev`',
    meaning:
      '`true`: protects the stacks against deletion, and keeps the data, the logs and backups. `false`: leaves nothing behind when it is destroyed.',
  },
  account: {
    default: 'that of the credentials',
    meaning: 'AWS account, as 12 digits. A deployment with credentials of another one is refused.',
  },
  region: {
    default: "the AWS profile's",
    meaning:
      'Region of all stacks. A region where SES is not known to receive mail causes a warning. China, GovCloud and other partitions are rejected.',
  },
  apiDomain: 'Custom domain name of the API.',
  certificateArn: 'ACM certificate of `apiDomain`, in the same region.',
  disableExecuteApiEndpoint: '`true`: the API answers at `apiDomain` only.',
  wafRequestsPer5Minutes:
    'Requests that an IP address can send in five minutes, at least 10; `0`: no limit. Puts CloudFront and a web application firewall in front of the API (see [Firewall](deploy-aws.md#firewall)).',
  edgeCertificateArn: 'ACM certificate of the host in `hostUrl`, in us-east-1, for the firewall.',
  formerReportsDomains:
    'Domains before `reportsDomain`, oldest first: `name=accepted,...`, or `name=removed` when nobody uses one any more (see [Change the domains](deploy-aws.md#change-the-domains)).',
  formerTesterDomains: 'The same for `testerDomain`.',
  hostedZones:
    '`name=id,...`: Route 53 zones in which the DNS records are created. If a record exists already, deploying the `dns` stack fails; nothing is overwritten.',
  secondMailRegion:
    'A second region in which SES receives mail, at a lower priority, while that of `region` does not answer. Requires `account` and `region`, and `npx cdk bootstrap` in that region.',
  receiptRuleSetName:
    'Adds the receipt rules to this existing SES rule set, and does not change which rule set is active.',
  takeOverActiveRuleSet:
    "`true`: on creation, this deployment's rule set replaces any other active rule set.",
  testerAllowAllIps:
    '`true`: SES accepts mail from IP addresses that it otherwise blocks, in the whole account and region.',
  alertSender: 'Sender address of alert mails. Its domain becomes an SES identity.',
  existingAlertIdentity:
    "`true`: the SES identity of `alertSender`'s domain exists already. It is used unchanged, and none of its DNS records are listed.",
  alarmEmail:
    'Recipient of alarms that need somebody now, after confirming the subscription mail that SNS sends.',
  ticketEmail: { default: '`alarmEmail`', meaning: 'Recipient of all other alarms, in the same way.' },
  monthlyBudget:
    'US dollars. A mail says when 80 % of them are spent in a month, or when all will be, by the whole account; `0`: no budget.',
  mailsPerHour: 'Mails in an hour from which an alarm goes off: anyone can send them, and each costs money.',
  noMailHours:
    'Hours without any mail, 24 at most, after which an alarm goes off; `0`: none. With a canary, 3 is enough.',
  canarySecretArn:
    'Secret with the token and the domain of the canary, which uses the service as a customer does (see [Canary](deploy-aws.md#canary)).',
  events:
    '`bus`: creates the EventBridge bus `domain-monitor-<stage>-events`, on which webhooks to `https://events.invalid/` put their notifications.',
  oidcSecretArn:
    'Secret in AWS Secrets Manager that is `OIDC_CLIENT_SECRET`, as plain text (see [People](people.md#on-aws)).',
  xray: '`true`: AWS X-Ray traces the functions ($5 per million traces).',
  smtpProbe:
    '`true`: checks connect to MX hosts, from a VPC with a fixed address (see [SMTP probes](deploy-aws.md#smtp-probes)).',
  requestsPerSecond:
    'API throttling for all callers together; bursts may reach twice the rate. Each route of a public tool gets a twentieth of it, and each other route without a token a quarter.',
  checkWorkers: {
    default: '2, or 10 with a quota of at least 100',
    meaning: 'Concurrent functions that check domains, 2 to 1000.',
  },
  mailWorkers: {
    default: '2, or 5 with a quota of at least 100',
    meaning:
      'Concurrent functions that receive mail, and as many that read it for each of the two mail domains, 2 to 1000.',
  },
  notificationWorkers: {
    default: '2, or 5 with a quota of at least 100',
    meaning:
      'Concurrent functions that deliver alerts by mail and webhook, and as many that deliver digests, 2 to 1000.',
  },
  lambdaConcurrency:
    "The account's Lambda concurrency quota; `0`: unknown. From 100 on, more functions work on the queues. An alarm warns at 80 % of it (of 1,000 if unknown), and public tools get at most a quarter of it (see [API and functions](deploy-aws.md#api-and-functions)).",
  natPerZone:
    '`true`: with `smtpProbe`, each of the two zones has a NAT gateway and an address of its own, for twice the price.',
  customerKey:
    '`true`: a KMS key of the account encrypts the table, received mail and the queues (see [Encryption](deploy-aws.md#encryption)).',
  backupCopyVaultArn:
    'Backup vault, usually of another account, that gets a copy of daily backups of the table and the bucket (see [Loss of an account or a region](deploy-aws.md#loss-of-an-account-or-a-region)).',
  tags: '`key=value,...`: tags of all resources, beside `service` and `stage`.',
  permissionsBoundary: 'Name or ARN of a policy that limits all roles.',
  qualifier: {
    default: "CDK's",
    meaning: 'Qualifier of `cdk bootstrap`, if the account has its own.',
  },
  restoredTable: "Table to use instead of the `data` stack's, after a restore.",
};

/** Rows of the environment variables, in the order of this file. */
export function environmentRows(): readonly Row[] {
  return rowsOf(environment, readSettings({}));
}

/** Defaults of context keys that differ from those of their environment variables. */
const contextDefaults: Readonly<Partial<Record<keyof typeof environmentKeys, string>>> = {
  hostUrl: "`apiDomain`, or the API's own URL",
  reportsDomain: 'required',
  testerDomain: 'required',
  dnsServers: 'public resolvers that validate DNSSEC',
};

/** Rows of the context keys: first those without an environment variable, then those that set one. */
export function contextRows(): readonly Row[] {
  const own = rowsOf(context, settingsSchema.parse({}));
  const passedOn = Object.entries(environmentKeys).map(([key, name]): Row => {
    const fallback = contextDefaults[key as keyof typeof environmentKeys];
    return [key, fallback ?? 'as in the table above', `Sets \`${name}\`.`];
  });
  return [...own, ...passedOn];
}

function rowsOf(
  descriptions: Readonly<Record<string, Description>>,
  defaults: Readonly<Record<string, unknown>>,
): Row[] {
  return Object.entries(descriptions).map(([key, description]) =>
    typeof description === 'string'
      ? [key, printed(defaults[key]), description]
      : [key, description.default, description.meaning],
  );
}

/** Formats a default as it is written in the environment. */
function printed(value: unknown): string {
  if (value instanceof Map && value.size > 0)
    return `\`${[...value].map(([name, one]) => `${name}=${one}`).join(',')}\``;
  if (value === undefined || value === '' || Array.isArray(value)) return 'none';
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return 'none';
  return `\`${String(value)}\``;
}
