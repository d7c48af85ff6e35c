import { CfnOutput, Duration, SecretValue, Stack, Validations } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { ORIGIN_HEADER, VIEWER_HEADER } from '../../shared/runtime/http/edge.ts';
import { EDGE_REGION, type Settings } from './settings.ts';
import { stackName } from './stack-names.ts';
import { stackProps } from './stage.ts';

/** The name of the secret that CloudFront sends with each request. */
export const originSecretName = (settings: Pick<Settings, 'stage'>): string => stackName(settings, 'origin');

/** Resolved by CloudFormation at deployment, so that templates do not contain it. */
export const originSecret = (settings: Pick<Settings, 'stage'>): string =>
  SecretValue.secretsManager(originSecretName(settings)).unsafeUnwrap();

/** Overwrites what the client sent. */
const setViewerAddress = `function handler(event) {
  event.request.headers['${VIEWER_HEADER}'] = { value: event.viewer.ip };
  return event.request;
}`;

/** API Gateway ends a request after 30 seconds. */
const ORIGIN_SECONDS = 30;

/**
 * CloudFront with a web application firewall, which HTTP APIs cannot have: it blocks addresses that send more requests in
 * five minutes than the settings allow. The functions reject requests that do not pass it.
 */
export class EdgeStack extends Stack {
  constructor(scope: Construct, settings: Settings, data: Stack) {
    const { env, ...props } = stackProps(settings, 'edge', 'CloudFront and its firewall');
    super(scope, stackName(settings, 'edge'), { ...props, env: { ...env, region: EDGE_REGION } });
    const { apiDomain = '', edgeCertificateArn = '', environment } = settings;
    this.addStackDependency(data, 'the secret that CloudFront sends');
    const distribution = new Distribution(this, 'Distribution', {
      domainNames: [new URL(environment.HOST_URL ?? '').hostname],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', edgeCertificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      webAclId: this.#firewall(settings).attrArn,
      defaultBehavior: {
        origin: new HttpOrigin(apiDomain, {
          protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
          readTimeout: Duration.seconds(ORIGIN_SECONDS),
          customHeaders: { [ORIGIN_HEADER]: originSecret(settings) },
        }),
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        functionAssociations: [
          {
            eventType: FunctionEventType.VIEWER_REQUEST,
            function: new EdgeFunction(this, 'ViewerAddress', {
              code: FunctionCode.fromInline(setViewerAddress),
              runtime: FunctionRuntime.JS_2_0,
            }),
          },
        ],
      },
    });
    const acknowledged = {
      CFR1: 'The service is for clients in all countries.',
      CFR3: 'The access log of the API has a line for each request that passes.',
    };
    for (const [id, reason] of Object.entries(acknowledged)) {
      Validations.of(distribution).acknowledge({ id: `AwsSolutions::AwsSolutions-${id}`, reason });
    }
    new CfnOutput(this, 'EdgeTarget', { value: distribution.distributionDomainName });
  }

  #firewall(settings: Settings): CfnWebACL {
    const named = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      sampledRequestsEnabled: false,
    });
    return new CfnWebACL(this, 'Firewall', {
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: named('firewall'),
      rules: [
        {
          name: 'rate',
          priority: 0,
          action: { block: { customResponse: { responseCode: 429 } } },
          statement: {
            rateBasedStatement: { limit: settings.wafRequestsPer5Minutes, aggregateKeyType: 'IP' },
          },
          visibilityConfig: named('rate'),
        },
      ],
    });
  }
}
