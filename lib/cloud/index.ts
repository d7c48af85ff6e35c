/** The entry `email-domain-security-monitor/cdk` of the package. */
export { EmailDomainSecurityMonitor, type MonitorProps, type Setting } from './monitor.ts';
