/**
 * Resources that carry state or an address, by type, and what is lost with one. CloudFormation identifies a resource by its
 * logical ID: it replaces a resource whose ID changes, and deletes one that is no longer in the template.
 */
export const lastingTypes: Readonly<Record<string, string>> = {
  'AWS::ApiGatewayV2::Api': 'the URL of the API',
  'AWS::ApiGatewayV2::ApiMapping': 'the API at its own domain name',
  'AWS::ApiGatewayV2::DomainName': 'the target of the DNS record of the API',
  'AWS::Backup::BackupVault': 'backups',
  'AWS::CloudFront::Distribution': 'the target of the DNS record of the firewall',
  'AWS::DynamoDB::GlobalTable': 'all data',
  'AWS::EC2::EIP': 'the address for which AWS opened port 25',
  'AWS::KMS::Key': 'everything that is encrypted with it',
  'AWS::Logs::LogGroup': 'the logs',
  'AWS::Route53::RecordSet': 'the DNS record',
  'AWS::S3::Bucket': 'received mail',
  'AWS::SecretsManager::Secret': 'the secret',
  'AWS::SES::EmailIdentity': 'the verification of the domain; SES accepts and sends no mail for it',
  'AWS::SES::ReceiptFilter': 'mail from some addresses',
  'AWS::SES::ReceiptRule': 'mail to the domain',
  'AWS::SES::ReceiptRuleSet': 'all mail',
  'AWS::SNS::Subscription': 'the subscription, and its confirmation',
  'AWS::SNS::Topic': 'its subscriptions',
  'AWS::SQS::Queue': 'messages that wait',
  'Custom::ActiveReceiptRuleSet': 'the active receipt rule set',
};
