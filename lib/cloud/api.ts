import { Aws, Fn, Stack } from 'aws-cdk-lib';
import { DomainName, HttpApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { fallbackHandler, routes } from '../../functions/routes.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import type { FunctionRow, MakeFunction } from './function.ts';
import { isInService } from './placement.ts';
import type { Settings } from './settings.ts';
import { keeping } from './stage.ts';

/** The function of the `$default` route; it needs only the table of routes. */
export const fallback = {
  name: 'fallback',
  handler: fallbackHandler,
  summary: 'Answers requests that match no route',
  errorImpact: 'Requests to unknown paths return 500 instead of 404.',
  timeoutSeconds: 5,
  memoryMegabytes: 256,
  uses: [],
} as const satisfies FunctionRow & Pick<Route, 'errorImpact'>;

/** The prefix keeps the account's resource policy short, whose size is limited: one statement covers all such log groups. */
const VENDED_LOGS = '/aws/vendedlogs/';

/** Unique per stack, so that a re-created stack does not conflict with the log group that the old one left. */
const ofThisStack = Fn.select(2, Fn.split('/', Aws.STACK_ID));

/** The custom domain name of the API, and its target in DNS. */
export interface ApiDomain {
  readonly name: string;
  readonly target: string;
  /** The hosted zone ID of the target, for an alias record. */
  readonly hostedZoneId: string;
}

/**
 * The HTTP API and its functions. The API is created first, so that functions can get its URL; its routes and its stage are
 * in a stack of their own.
 */
export class Api extends Construct {
  readonly http: HttpApi;
  readonly domainName: DomainName | undefined;
  readonly domain: ApiDomain | undefined;
  readonly accessLog: LogGroup;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { disableExecuteApiEndpoint } = settings;
    this.http = new HttpApi(this, 'Http', {
      apiName: Stack.of(this).stackName,
      createDefaultStage: false,
      disableExecuteApiEndpoint,
    });
    const domainName = this.#ownName(settings);
    this.domainName = domainName;
    this.domain = domainName && {
      // Not `domainName.name`, which is a token until deployment.
      name: settings.apiDomain ?? '',
      target: domainName.regionalDomainName,
      hostedZoneId: domainName.regionalHostedZoneId,
    };
    const { logRetention, removalPolicy } = keeping(settings);
    this.accessLog = new LogGroup(this, 'AccessLog', {
      logGroupName: `${VENDED_LOGS}${Stack.of(this).stackName}/AccessLog/${ofThisStack}`,
      retention: logRetention,
      removalPolicy,
    });
  }

  /** One function for each row of `functions/routes.ts` that belongs to this stack, and one for all other requests. */
  makeFunctions(makeFunction: MakeFunction): void {
    for (const row of [...Object.values(routes).filter(isInService), fallback]) makeFunction(this, row);
  }

  #ownName({ apiDomain, certificateArn }: Settings): DomainName | undefined {
    if (apiDomain === undefined || certificateArn === undefined) return undefined;
    return new DomainName(this, 'Domain', {
      domainName: apiDomain,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
  }
}
