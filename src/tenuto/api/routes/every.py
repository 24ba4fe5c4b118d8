"""Every request that the API answers, as one table: the application and its documents are made from it."""

from tenuto.api.requests.route import ApiRoute
from tenuto.api.routes.access_routes import ACCESS_ROUTES
from tenuto.api.routes.account_routes import ACCOUNT_ROUTES
from tenuto.api.routes.catalogue_routes import CATALOGUE_ROUTES
from tenuto.api.routes.doctor_routes import DOCTOR_ROUTES
from tenuto.api.routes.history_routes import HISTORY_ROUTES
from tenuto.api.routes.host_routes import HOST_ROUTES
from tenuto.api.routes.image_routes import IMAGE_ROUTES
from tenuto.api.routes.insight_routes import INSIGHT_ROUTES
from tenuto.api.routes.namespace_routes import NAMESPACE_ROUTES
from tenuto.api.routes.notification_routes import NOTIFICATION_ROUTES
from tenuto.api.routes.object_routes import OBJECT_ROUTES
from tenuto.api.routes.process_routes import PROCESS_ROUTES
from tenuto.api.routes.proposal_routes import PROPOSAL_ROUTES
from tenuto.api.routes.sign_in_routes import SIGN_IN_ROUTES
from tenuto.api.routes.stack_routes import STACK_ROUTES
from tenuto.api.routes.validation_routes import VALIDATION_ROUTES

ROUTES: tuple[ApiRoute, ...] = (
    *PROCESS_ROUTES,
    *INSIGHT_ROUTES,
    *PROPOSAL_ROUTES,
    *HISTORY_ROUTES,
    *OBJECT_ROUTES,
    *NAMESPACE_ROUTES,
    *IMAGE_ROUTES,
    *HOST_ROUTES,
    *DOCTOR_ROUTES,
    *CATALOGUE_ROUTES,
    *STACK_ROUTES,
    *ACCOUNT_ROUTES,
    *ACCESS_ROUTES,
    *SIGN_IN_ROUTES,
    *VALIDATION_ROUTES,
    *NOTIFICATION_ROUTES,
)
