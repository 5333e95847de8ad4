{{/* Adds the pod settings of the values to a pod template, in place. */}}
{{- define "legal.setPods" -}}
{{- $pods := .root.Values.pods | default dict -}}
{{- $metadata := .template.metadata -}}
{{- $spec := .template.spec -}}
{{- $_ := set $metadata "labels" (merge (dict) $metadata.labels ($pods.labels | default dict)) -}}
{{- $_ := set $metadata "annotations" (merge (dict) $metadata.annotations ($pods.annotations | default dict)) -}}
{{- range $volume := $pods.volumes -}}
{{- $name := printf "extra-%s" $volume.name -}}
{{- $source := dict "name" $name -}}
{{- if $volume.secretName -}}{{- $_ := set $source "secret" (dict "secretName" $volume.secretName) -}}
{{- else -}}{{- $_ := set $source "configMap" (dict "name" $volume.configMapName) -}}{{- end -}}
{{- $_ := set $spec "volumes" (append $spec.volumes $source) -}}
{{- range $container := concat $spec.containers ($spec.initContainers | default list) -}}
{{- $mount := dict "name" $name "mountPath" $volume.mountPath "readOnly" true -}}
{{- $_ := set $container "volumeMounts" (append $container.volumeMounts $mount) -}}
{{- end -}}
{{- end -}}
{{- if hasKey $pods "imagePullSecrets" -}}
{{- $secrets := list -}}
{{- range $name := $pods.imagePullSecrets -}}{{- $secrets = append $secrets (dict "name" $name) -}}{{- end -}}
{{- $_ := set $spec "imagePullSecrets" $secrets -}}
{{- end -}}
{{- if $pods.priorityClassName -}}{{- $_ := set $spec "priorityClassName" $pods.priorityClassName -}}{{- end -}}
{{- if hasKey $pods "nodeSelector" -}}
{{- $_ := set $spec "nodeSelector" (merge (dict) ($spec.nodeSelector | default dict) $pods.nodeSelector) -}}
{{- end -}}
{{- if and (hasKey $pods "tolerations") (not (hasKey $spec "tolerations")) -}}
{{- $_ := set $spec "tolerations" $pods.tolerations -}}
{{- end -}}
{{- if hasKey $pods "affinity" -}}
{{- $affinity := deepCopy ($spec.affinity | default dict) -}}
{{- range $name, $value := $pods.affinity -}}{{- $_ := set $affinity $name $value -}}{{- end -}}
{{- $_ := set $spec "affinity" $affinity -}}
{{- end -}}
{{- if eq ($pods.userIds | default "Fixed") "Assigned" -}}
{{- $_ := set $spec "securityContext" (omit $spec.securityContext "runAsUser" "runAsGroup" "fsGroup") -}}
{{- end -}}
{{- end -}}

{{/* Sets the annotation that restarts the pods when a Secret entry changes that the first container reads. */}}
{{- define "legal.setChecksum" -}}
{{- $references := list -}}
{{- range $variable := (first .template.spec.containers).env -}}
{{- with $variable.valueFrom -}}
{{- $references = append $references (printf "%s/%s" .secretKeyRef.name .secretKeyRef.key) -}}
{{- end -}}
{{- end -}}
{{- if $references -}}
{{- $digests := list -}}
{{- range $id := $references | uniq | sortAlpha -}}
{{- $digest := include "legal.secretDigest" (dict "root" $.root "id" $id) -}}
{{- $digests = append $digests (list $id $digest) -}}
{{- end -}}
{{- $_ := set .template.metadata.annotations "legalsuite.dev/secrets" (include "legal.hash" $digests) -}}
{{- end -}}
{{- end -}}
