import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { AccountPrincipal, ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { DataStack } from './data.ts';
import type { Settings } from './settings.ts';
import { stackName } from './stack-names.ts';
import { keeping, stackProps } from './stage.ts';

/** As long as point-in-time recovery goes back. */
const KEPT = Duration.days(35);

/**
 * Daily backups of the table and the bucket, each with a copy in a vault of another account or region, which survives the loss of
 * this account.
 */
export class BackupStack extends Stack {
  constructor(scope: Construct, settings: Settings, { table, mail }: DataStack) {
    super(scope, stackName(settings, 'backup'), stackProps(settings, 'backup', 'backups'));
    const { removalPolicy } = keeping(settings);
    const copyArn = settings.backupCopyVaultArn ?? '';
    // The key that AWS manages cannot be shared with another account.
    const encryptionKey = new Key(this, 'Key', {
      description: 'Backups',
      enableKeyRotation: true,
      removalPolicy,
    });
    encryptionKey.grantDecrypt(new AccountPrincipal(copyArn.split(':')[4]));
    const vault = new BackupVault(this, 'Vault', { encryptionKey, removalPolicy });
    const copy = BackupVault.fromBackupVaultArn(this, 'Copy', copyArn);
    const plan = new BackupPlan(this, 'Plan', { backupVault: vault });
    plan.addRule(
      new BackupPlanRule({
        ruleName: 'daily',
        scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
        deleteAfter: KEPT,
        copyActions: [{ destinationBackupVault: copy, deleteAfter: KEPT }],
      }),
    );
    const policies = [
      'service-role/AWSBackupServiceRolePolicyForBackup',
      'AWSBackupServiceRolePolicyForS3Backup',
    ];
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      managedPolicies: policies.map((name) => ManagedPolicy.fromAwsManagedPolicyName(name)),
    });
    for (const name of policies)
      Validations.of(role).acknowledge({
        id: `AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${name}]`,
        reason: 'AWS Backup documents this policy, and extends it when it needs more.',
      });
    plan.addSelection('Data', {
      role,
      disableDefaultBackupPolicy: true,
      resources: [BackupResource.fromArn(table.tableArn), BackupResource.fromArn(mail.bucketArn)],
    });
  }
}
