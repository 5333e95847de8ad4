/** Settings of test pods in a namespace that enforces the restricted standard. */
export const restrictedPod = {
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 0,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: 10_001,
    seccompProfile: { type: 'RuntimeDefault' },
  },
}

/** A container that runs Node from the image of the suite. */
export const nodePod = (
  image: string,
  args: string[],
  volumeMounts: { name: string; mountPath: string }[] = [],
) => ({
  image,
  imagePullPolicy: 'IfNotPresent',
  command: ['node', ...args],
  resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '256Mi' } },
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  volumeMounts,
})
