{{/* Parses a Kubernetes quantity to a number. */}}
{{- define "legal.quantity" -}}
{{- $units := dict "" 1.0 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 -}}
{{- $unit := regexFind "[A-Za-z]*$" . -}}
{{- printf "%f" (mulf (trimSuffix $unit . | float64) (get $units $unit)) -}}
{{- end -}}

{{/* Merges configured resources over the defaults. A default gives way where a request would exceed a limit. */}}
{{- define "legal.resources" -}}
{{- $overrides := .overrides | default dict -}}
{{- $requests := merge (dict) ($overrides.requests | default dict) .defaults.requests -}}
{{- $limits := merge (dict) ($overrides.limits | default dict) .defaults.limits -}}
{{- range $name, $request := deepCopy $requests -}}
{{- $limit := get $limits $name -}}
{{- if and $limit (gt (include "legal.quantity" $request | float64) (include "legal.quantity" $limit | float64)) -}}
{{- if hasKey ($overrides.requests | default dict) $name -}}{{- $_ := set $limits $name $request -}}
{{- else -}}{{- $_ := set $requests $name $limit -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "requests" $requests "limits" $limits | toJson -}}
{{- end -}}

{{/* Sets size, class and access mode of a PersistentVolumeClaim. */}}
{{- define "legal.setVolume" -}}
{{- $storage := .storage | default dict -}}
{{- if $storage.size -}}{{- $_ := set .claim.spec.resources.requests "storage" $storage.size -}}{{- end -}}
{{- if $storage.storageClassName -}}{{- $_ := set .claim.spec "storageClassName" $storage.storageClassName -}}{{- end -}}
{{- end -}}
