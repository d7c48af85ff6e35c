import type { Construct } from 'constructs';
import { AlarmsStack } from './alarms.ts';
import { BackupStack } from './backup.ts';
import { DataStack } from './data.ts';
import { DnsStack } from './dns.ts';
import { EdgeStack } from './edge.ts';
import { EndpointsStack } from './endpoints.ts';
import type { Bundles } from './handlers.ts';
import { MailStack } from './mail.ts';
import { ProbesStack } from './probes.ts';
import { RoutesStack } from './routes.ts';
import { SecondMailStack } from './second-mail.ts';
import { secondMailOf } from './second-region.ts';
import { ServiceStack } from './service.ts';
import type { Settings } from './settings.ts';
import { hasStack } from './stack-names.ts';

/**
 * The service on AWS, as independently deployable stacks. Each stack depends only on the ones above it.
 *
 *     data       the table and the bucket of received mail; must survive everything else
 *     backup     daily backups with a copy elsewhere; only with backupCopyVaultArn
 *     mail-second  SES in a second region -> a bucket there; only with secondMailRegion
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
export function createStacks(scope: Construct, settings: Settings, bundles: Bundles): void {
  const data = new DataStack(scope, settings);
  if (hasStack(settings, 'backup')) new BackupStack(scope, settings, data);
  const second = secondMailOf(settings);
  const secondMail = second && new SecondMailStack(scope, settings, second, bundles);
  const mail = new MailStack(scope, settings, data.mail, bundles);
  if (secondMail) mail.addStackDependency(secondMail, 'the topics that its queue subscribes to');
  const probes = hasStack(settings, 'probes') ? new ProbesStack(scope, settings) : undefined;
  const service = new ServiceStack(scope, settings, { data, mail, probes, bundles });
  const endpoints = new EndpointsStack(scope, settings, 'endpoints', service);
  const people = new EndpointsStack(scope, settings, 'people', service);
  const functions = new Map([...service.functions, ...endpoints.functions, ...people.functions]);
  new RoutesStack(scope, settings, { api: service.api, functions });
  new AlarmsStack(scope, settings, { mail, service, functions }, bundles);
  if (hasStack(settings, 'edge')) new EdgeStack(scope, settings, data);
  if (hasStack(settings, 'dns')) new DnsStack(scope, settings, { mail, service });
}
