// A CDK app with the service in two stages of one account: npx cdk deploy --app 'node app.mjs' 'Production/*'
import { App } from 'aws-cdk-lib';
import { EmailDomainSecurityMonitor } from 'email-domain-security-monitor/cdk';

const app = new App();
const account = '111122223333';

new EmailDomainSecurityMonitor(app, 'Production', {
  env: { account, region: 'eu-west-1' },
  stage: 'prod',
  reportsDomain: 'reports.acme.org',
  testerDomain: 'tester.acme.org',
  alarmEmail: 'operators@acme.org',
});

new EmailDomainSecurityMonitor(app, 'Staging', {
  // SES has one active set of receipt rules per account and region.
  env: { account, region: 'eu-central-1' },
  stage: 'staging',
  keepData: false,
  reportsDomain: 'reports.staging.acme.org',
  testerDomain: 'tester.staging.acme.org',
});

app.synth();
