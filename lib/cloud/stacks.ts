import type { App } from 'aws-cdk-lib';
import { AlarmsStack } from './alarms.ts';
import { BackupStack } from './backup.ts';
import type { Bundles } from './bundle.ts';
import { DataStack } from './data.ts';
import { DnsStack } from './dns.ts';
import { EdgeStack } from './edge.ts';
import { EndpointsStack } from './endpoints.ts';
import { MailStack } from './mail.ts';
import { ProbesStack } from './probes.ts';
import { RoutesStack } from './routes.ts';
import { ServiceStack } from './service.ts';
import type { Settings } from './settings.ts';
import { hasStack } from './stack-names.ts';

/**
 * The service on AWS, as independently deployable stacks. Each stack depends only on the ones above it.
 *
 *     data       the table and the bucket of received mail; must survive everything else
 *     backup     daily backups with a copy elsewhere; only with backupCopyVaultArn
 *     mail       SES -> bucket and queues; bound to a region where SES receives
 *     probes     a VPC that allows connections to port 25; only with smtpProbe
 *     service    the HTTP API, background jobs, functions of endpoints, queues, and schedules; stores nothing
 *     endpoints  the functions of the other endpoints
 *     people     the functions of endpoints about members and their sign-in
 *     routes     the routes of the HTTP API, and its stage with their limits
 *     alarms     the alarms and the dashboard
 *     edge       CloudFront with a firewall; only with wafRequestsPer5Minutes
 *     dns        the records in Route 53; only with hostedZones
 */
export function createStacks(app: App, settings: Settings, bundles: Bundles): void {
  const data = new DataStack(app, settings);
  if (hasStack(settings, 'backup')) new BackupStack(app, settings, data);
  const mail = new MailStack(app, settings, data.mail, bundles);
  const probes = hasStack(settings, 'probes') ? new ProbesStack(app, settings) : undefined;
  const service = new ServiceStack(app, settings, { data, mail, probes, bundles });
  const endpoints = new EndpointsStack(app, settings, 'endpoints', service);
  const people = new EndpointsStack(app, settings, 'people', service);
  const functions = new Map([...service.functions, ...endpoints.functions, ...people.functions]);
  new RoutesStack(app, settings, { api: service.api, functions });
  new AlarmsStack(app, settings, { mail, service, functions }, bundles);
  if (hasStack(settings, 'edge')) new EdgeStack(app, settings, data);
  if (hasStack(settings, 'dns')) new DnsStack(app, settings, { mail, service });
}
