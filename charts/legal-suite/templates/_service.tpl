{{/* Applies the values to the Deployment of a service, in place. */}}
{{- define "legal.setService" -}}
{{- $values := .root.Values -}}
{{- $settings := .settings -}}
{{- $template := .object.spec.template -}}
{{- $spec := $template.spec -}}
{{- $container := first $spec.containers -}}
{{- $_ := set $container "command" (get (get .commands ($values.runtime | default "Node")) .service) -}}
{{- $peers := list -}}
{{- range $variable := $container.env -}}
{{- if hasSuffix "_URL" $variable.name -}}{{- if $variable.value -}}{{- $peers = append $peers $variable -}}{{- end -}}{{- end -}}
{{- end -}}
{{- $env := include "legal.env" (dict "root" .root "service" .service "peers" $peers "custom" $settings.env) | fromJsonArray -}}
{{- $_ := set $container "env" $env -}}
{{- $resources := dict "overrides" $settings.resources "defaults" $container.resources -}}
{{- $_ := set $container "resources" (include "legal.resources" $resources | fromJson) -}}
{{- include "legal.setServiceVolumes" . -}}
{{- range $name := list "nodeSelector" "tolerations" -}}
{{- if hasKey $settings $name -}}{{- $_ := set $spec $name (get $settings $name) -}}{{- end -}}
{{- end -}}
{{- if hasKey $settings "topology" -}}
{{- $selector := .object.spec.selector -}}
{{- $constraints := list -}}
{{- range $settings.topology -}}
{{- $constraints = append $constraints (dict "topologyKey" .topologyKey "maxSkew" (.maxSkew | default 1) "whenUnsatisfiable" (.whenUnsatisfiable | default "ScheduleAnyway") "labelSelector" $selector) -}}
{{- end -}}
{{- $_ := set $spec "topologySpreadConstraints" $constraints -}}
{{- end -}}
{{- $_ := set $template.metadata "annotations" dict -}}
{{- include "legal.setChecksum" (dict "root" .root "template" $template) -}}
{{- include "legal.setPods" (dict "root" .root "template" $template) -}}
{{- $rollout := include "legal.hash" $template -}}
{{- $_ := set $template.metadata.annotations "legalsuite.dev/rollout" $rollout -}}
{{- $_ := set .object.metadata "annotations" (dict "legalsuite.dev/rollout" $rollout) -}}
{{- $_ := set .object.spec "replicas" ($settings.replicas | default 1) -}}
{{- if $values.hibernated -}}{{- $_ := set .object.spec "replicas" 0 -}}
{{- else if $settings.autoscaling -}}{{- $_ := unset .object.spec "replicas" -}}{{- end -}}
{{- if and (eq .service "collector") (hasKey $values "seeds") -}}
{{- $_ := set .object.spec "progressDeadlineSeconds" 1200 -}}
{{- end -}}
{{- end -}}

{{/* The Secret of the internal key, and the volume of files-service, which shares a ReadWriteOnce volume on one node. */}}
{{- define "legal.setServiceVolumes" -}}
{{- $values := .root.Values -}}
{{- $spec := .object.spec.template.spec -}}
{{- range $volume := $spec.volumes -}}
{{- if and (eq $volume.name "internal-key") $values.internalKey -}}
{{- $_ := set $volume.secret "secretName" $values.internalKey.secretName -}}
{{- end -}}
{{- end -}}
{{- if eq .service "files" -}}
{{- $container := first $spec.containers -}}
{{- $isS3 := eq (include "legal.objectStorage" .root) "S3" -}}
{{- if $isS3 -}}
{{- $volumes := list -}}{{- range $spec.volumes -}}{{- if ne .name "data" -}}{{- $volumes = append $volumes . -}}{{- end -}}{{- end -}}
{{- $mounts := list -}}{{- range $container.volumeMounts -}}{{- if ne .name "data" -}}{{- $mounts = append $mounts . -}}{{- end -}}{{- end -}}
{{- $_ := set $spec "volumes" $volumes -}}
{{- $_ := set $container "volumeMounts" $mounts -}}
{{- end -}}
{{- if or $isS3 (eq (include "legal.accessMode" .root) "ReadWriteMany") -}}{{- $_ := unset $spec "affinity" -}}{{- end -}}
{{- end -}}
{{- end -}}

{{- define "legal.accessMode" -}}
{{ ((.Values.objectStorage | default dict).volume | default dict).accessMode | default "ReadWriteOnce" }}
{{- end -}}

{{- define "legal.autoscaler" -}}
{{- $scaling := .autoscaling }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ .root.Release.Name }}-{{ .service }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- toYaml .labels | nindent 4 }}
  {{- if .root.Values.handOver }}
  annotations: { helm.sh/resource-policy: keep, legalsuite.dev/adopt: "true" }
  {{- end }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ .root.Release.Name }}-{{ .service }}
  minReplicas: {{ $scaling.minReplicas | default 2 }}
  maxReplicas: {{ $scaling.maxReplicas }}
  metrics:
    - type: Resource
      resource: { name: cpu, target: { type: Utilization, averageUtilization: {{ $scaling.cpuUtilization | default 75 }} } }
    {{- with $scaling.memoryUtilization }}
    - type: Resource
      resource: { name: memory, target: { type: Utilization, averageUtilization: {{ . }} } }
    {{- end }}
{{- end -}}
