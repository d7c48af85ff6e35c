import { Duration, Validations } from 'aws-cdk-lib';
import { SubnetType } from 'aws-cdk-lib/aws-ec2';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Route } from '../../shared/runtime/http/route.ts';
import { originSecret } from './edge.ts';
import { grant, type Service, type Uses } from './grants.ts';
import { type Bundle, BundleError, type Bundles } from './handlers.ts';
import { reservedConcurrencyOf } from './public-limits.ts';
import type { Environment, Settings } from './settings.ts';
import { keeping } from './stage.ts';

/** The properties of a row of either table that define its function. */
export type FunctionRow = Pick<Route, 'name' | 'handler' | 'summary' | 'timeoutSeconds' | 'memoryMegabytes'> &
  Uses;

export type MakeFunction = (scope: Construct, row: FunctionRow) => LambdaFunction;

/**
 * Creates the function of a row, with all settings and with only the permissions and resource names of its capabilities.
 */
export function functionMaker(service: Service): MakeFunction {
  const { settings, bundles } = service;
  const environment: Environment = {
    ...settings.environment,
    HOST_URL: service.hostUrl,
    ...(settings.wafRequestsPer5Minutes > 0 && { ORIGIN_SECRET: originSecret(settings) }),
  };
  return (scope, row) => {
    const bundle = bundleOf(row, bundles);
    const network = row.uses.includes('probes') ? service.probes : undefined;
    const reserved = reservedConcurrencyOf(row, settings);
    const made = makeLambda(scope, row, { ...bundle, ...settings, network, reserved });
    for (const [key, value] of Object.entries(environment)) made.addEnvironment(key, value);
    grant(made, service, row);
    return made;
  };
}

/** @throws BundleError if the handler of `row` was not bundled. */
export function bundleOf({ name, handler }: Pick<FunctionRow, 'name' | 'handler'>, bundles: Bundles): Bundle {
  const bundle = bundles.get(handler);
  if (bundle === undefined) throw new BundleError(`${name}: the handler ${handler} has no bundle`);
  return bundle;
}

interface Making extends Pick<Bundle, 'folder' | 'handler' | 'exclude'>, Pick<Settings, 'keepData' | 'xray'> {
  /** The VPC, if any. */
  readonly network?: Service['probes'];
  /** The concurrency that is reserved for the function and limits it, if any. */
  readonly reserved?: number | undefined;
}

/** Creates every Lambda function, with its own log group and with its own role, which initially only allows logging. */
export function makeLambda(
  scope: Construct,
  row: Omit<FunctionRow, 'handler' | keyof Uses>,
  { folder, handler, exclude = [], keepData, xray, network, reserved }: Making,
): LambdaFunction {
  const here = new Construct(scope, row.name);
  const { logRetention, removalPolicy } = keeping({ keepData });
  const logGroup = new LogGroup(here, 'Log', { retention: logRetention, removalPolicy });
  const role = new Role(here, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  if (xray)
    Validations.of(role).acknowledge({
      id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray supports no narrower resource than all traces of the account.',
    });
  return new LambdaFunction(here, 'Function', {
    description: row.summary,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code: Code.fromAsset(folder, { exclude: ['*.map', ...exclude] }),
    handler,
    timeout: Duration.seconds(row.timeoutSeconds),
    memorySize: row.memoryMegabytes,
    ...(xray && { tracing: Tracing.ACTIVE }),
    ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
    role,
    logGroup,
    ...(network === undefined
      ? {}
      : {
          vpc: network.vpc,
          vpcSubnets: { subnetType: SubnetType.PRIVATE_WITH_EGRESS },
          securityGroups: [network.securityGroup],
        }),
  });
}
