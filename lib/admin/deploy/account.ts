/** What a deployment asks an AWS account before it changes anything. */
import { ACMClient, DescribeCertificateCommand } from '@aws-sdk/client-acm';
import {
  CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
  GetTemplateCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetHostedZoneCommand, NoSuchHostedZone, Route53Client } from '@aws-sdk/client-route-53';
import { DescribeActiveReceiptRuleSetCommand, SESClient } from '@aws-sdk/client-ses';
import {
  GetAccountCommand,
  GetEmailIdentityCommand,
  NotFoundException,
  SESv2Client,
} from '@aws-sdk/client-sesv2';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import * as z from 'zod/mini';
import { openTable } from '../../../shared/store/table.ts';

/** A port: each question is one request to AWS. */
export interface Account {
  readonly region: string;
  /** The account number of the credentials. */
  identity(): Promise<string>;
  /** Undefined if there is no such stack. */
  stack(name: string, region: string): Promise<DeployedStack | undefined>;
  template(name: string, region: string): Promise<Template>;
  mailLimits(): Promise<{ readonly isSandbox: boolean; readonly perSecond: number }>;
  hasMailIdentity(domain: string): Promise<boolean>;
  activeRuleSet(region: string): Promise<string | undefined>;
  lambdaConcurrency(): Promise<number>;
  certificate(
    arn: string,
    region: string,
  ): Promise<{ readonly status: string; readonly names: readonly string[] }>;
  /**
   * Domains of the service whose records name their mailbox at one of these domains, as their latest check found, by the latter.
   */
  publishers(table: string, at: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** The name of a hosted zone, without the final dot; undefined if there is none. */
  hostedZone(id: string): Promise<string | undefined>;
}

export interface DeployedStack {
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
}

const template = z.object({
  Resources: z._default(
    z.record(
      z.string(),
      z.object({ Type: z.string(), Properties: z._default(z.record(z.string(), z.unknown()), {}) }),
    ),
    {},
  ),
});

export type Template = z.infer<typeof template>;

/** @throws SyntaxError, ZodError if it is not a template in JSON, as the CDK writes them. */
export const parseTemplate = (json: string): Template => template.parse(JSON.parse(json));

/** The account of the credentials that the AWS SDK finds. @throws Error if no region is set. */
export async function openAccount(region: string | undefined): Promise<Account> {
  const where = region === undefined ? {} : { region };
  const sts = new STSClient(where);
  const ses = new SESv2Client(where);
  const cloudFormation = (place: string) => new CloudFormationClient({ region: place });
  return {
    region: await sts.config.region(),

    async identity() {
      return (await sts.send(new GetCallerIdentityCommand())).Account ?? '';
    },

    async stack(name, place) {
      try {
        const { Stacks } = await cloudFormation(place).send(new DescribeStacksCommand({ StackName: name }));
        return Stacks?.[0] && deployed(Stacks[0]);
      } catch (error) {
        // CloudFormation has no error of its own for this.
        const isMissing =
          error instanceof CloudFormationServiceException && /does not exist/.test(error.message);
        if (isMissing) return undefined;
        throw error;
      }
    },

    async template(name, place) {
      const { TemplateBody = '{}' } = await cloudFormation(place).send(
        new GetTemplateCommand({ StackName: name, TemplateStage: 'Original' }),
      );
      return parseTemplate(TemplateBody);
    },

    async mailLimits() {
      const { ProductionAccessEnabled = false, SendQuota } = await ses.send(new GetAccountCommand());
      return { isSandbox: !ProductionAccessEnabled, perSecond: SendQuota?.MaxSendRate ?? 0 };
    },

    async hasMailIdentity(domain) {
      try {
        await ses.send(new GetEmailIdentityCommand({ EmailIdentity: domain }));
        return true;
      } catch (error) {
        if (error instanceof NotFoundException) return false;
        throw error;
      }
    },

    async activeRuleSet(place) {
      const ses = new SESClient({ region: place });
      return (await ses.send(new DescribeActiveReceiptRuleSetCommand())).Metadata?.Name;
    },

    async lambdaConcurrency() {
      const { AccountLimit } = await new LambdaClient(where).send(new GetAccountSettingsCommand());
      return AccountLimit?.ConcurrentExecutions ?? 0;
    },

    async certificate(arn, place) {
      const { Certificate } = await new ACMClient({ region: place }).send(
        new DescribeCertificateCommand({ CertificateArn: arn }),
      );
      const names = [Certificate?.DomainName ?? [], Certificate?.SubjectAlternativeNames ?? []].flat();
      return { status: Certificate?.Status ?? 'unknown', names };
    },

    async publishers(name, at) {
      const { publishersIn } = await import('./publishers.ts');
      return publishersIn(openTable(name, new DynamoDBClient(where)), at);
    },

    async hostedZone(id) {
      try {
        const { HostedZone } = await new Route53Client(where).send(new GetHostedZoneCommand({ Id: id }));
        return HostedZone?.Name?.replace(/\.$/, '');
      } catch (error) {
        if (error instanceof NoSuchHostedZone) return undefined;
        throw error;
      }
    },
  };
}

const deployed = ({ StackStatus, Outputs = [] }: Stack): DeployedStack => ({
  status: StackStatus ?? 'unknown',
  outputs: Object.fromEntries(
    Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
  ),
});
