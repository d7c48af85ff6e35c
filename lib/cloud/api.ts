import { Aws, Fn, Stack, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  DomainName,
  HttpApi,
  HttpMethod,
  HttpRoute,
  type HttpRouteIntegrationBindOptions,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { fallbackHandler, routes } from '../../functions/routes.ts';
import { methodsOf, type Route } from '../../shared/runtime/route.ts';
import type { Settings } from './config.ts';
import type { FunctionRow, MakeFunction } from './function.ts';
import { keeping } from './stage.ts';

/** The function behind `$default`: it needs nothing but the table of routes. */
export const fallback = {
  name: 'fallback',
  handler: fallbackHandler,
  summary: 'Answers what no route takes',
  errorImpact: 'Requests to addresses that are not there are answered with 500 in place of 404.',
  timeoutSeconds: 5,
  memoryMegabytes: 256,
  uses: [],
} as const satisfies FunctionRow & Pick<Route, 'errorImpact'>;

/** Each log that AWS writes to lengthens a policy of the account, which has a limit; of those named so all share a line. */
const VENDED_LOGS = '/aws/vendedlogs/';

/** Another one after a stack was deleted and made again, beside what it has left. */
const ofThisStack = Fn.select(2, Fn.split('/', Aws.STACK_ID));

/** The API's own name, and where DNS leads it. */
export interface ApiDomain {
  readonly name: string;
  readonly target: string;
  /** The zone in Route 53 of the target, for an alias record. */
  readonly hostedZoneId: string;
}

/** The HTTP API. It is there before its routes, so that functions can be told its address. */
export class Api extends Construct {
  readonly http: HttpApi;
  readonly domain: ApiDomain | undefined;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { stage, requestsPerSecond, disableExecuteApiEndpoint } = settings;
    this.http = new HttpApi(this, 'Http', {
      apiName: Stack.of(this).stackName,
      createDefaultStage: false,
      disableExecuteApiEndpoint,
    });
    const domainName = this.#ownName(settings);
    this.domain = domainName && {
      // Not `domainName.name`, which nobody could read before it is deployed.
      name: settings.apiDomain ?? '',
      target: domainName.regionalDomainName,
      hostedZoneId: domainName.regionalHostedZoneId,
    };
    const { logRetention, removalPolicy } = keeping[stage];
    const accessLog = new LogGroup(this, 'AccessLog', {
      logGroupName: `${VENDED_LOGS}${Stack.of(this).stackName}/AccessLog/${ofThisStack}`,
      retention: logRetention,
      removalPolicy,
    });
    new HttpStage(this, 'Stage', {
      httpApi: this.http,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: requestsPerSecond, burstLimit: requestsPerSecond * 2 },
      ...(domainName === undefined ? {} : { domainMapping: { domainName } }),
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
      },
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason:
        'endpoint() authenticates inside each function: its own error bodies, and a revoked token ends at once.',
    });
  }

  /** A function for each row of `functions/routes.ts`, and one for everything else. */
  serve(makeFunction: MakeFunction): void {
    const integrate = (row: FunctionRow) => new OncePermitted(row.name, makeFunction(this, row));
    for (const row of Object.values(routes)) {
      this.http.addRoutes({
        path: row.path,
        methods: methodsOf(row).map((method) => HttpMethod[method]),
        integration: integrate(row),
      });
    }
    new HttpRoute(this, 'Default', {
      httpApi: this.http,
      routeKey: HttpRouteKey.DEFAULT,
      integration: integrate(fallback),
    });
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

/** Its permission names the path and no method, so a path's routes do with one. */
class OncePermitted extends HttpLambdaIntegration {
  #isPermitted = false;

  protected override completeBind(options: HttpRouteIntegrationBindOptions): void {
    if (!this.#isPermitted) super.completeBind(options);
    this.#isPermitted = true;
  }
}

/** One line of the access log. The path is left out: ids in it can be all that a shared result is protected by. */
export const accessLogFields = {
  time: '$context.requestTimeEpoch',
  requestId: '$context.requestId',
  route: '$context.routeKey',
  status: '$context.status',
  clientAddress: '$context.identity.sourceIp',
  userAgent: '$context.identity.userAgent',
  responseBytes: '$context.responseLength',
  milliseconds: '$context.responseLatency',
  functionMilliseconds: '$context.integrationLatency',
  functionError: '$context.integrationErrorMessage',
};
