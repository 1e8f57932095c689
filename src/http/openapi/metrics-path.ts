import { isSystemManager } from '../../access/user.ts';
import { type DescribeRoute, errors } from './operation.ts';

/** Metrics for Prometheus. */
export const metricsPath: DescribeRoute = ({ user }) => {
  if (!isSystemManager(user)) return {};
  const get = {
    operationId: 'metrics',
    summary: 'Numbers about the server, for Prometheus',
    description: 'For System Managers, and for the bearer of the token `metrics.token`.',
    tags: ['Service'],
    responses: {
      '200': { description: 'In the text format of Prometheus', content: { 'text/plain': {} } },
      ...errors(401, 403),
    },
  };
  return { '/metrics': { get } };
};
